package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// repo looks at a branch of a bare repository from outside: at the ref when the system tells that it moved, and at the
// commits only after a scenario is over, so that nothing of ours runs beside what is measured.
type repo struct {
	dir, branch string

	mu      sync.Mutex
	changes []refChange
	edits   []publishEdit
}

type refChange struct {
	commit string
	at     time.Time
}

// publishEdit is an edit whose commit is looked for: the PATCH was answered at that time.
type publishEdit struct {
	key        string
	generation int64
	at         time.Time
}

// newRepo gives nil when there is no repository; a nil repo reports nothing.
func newRepo(dir, branch string) *repo {
	if dir == "" {
		return nil
	}
	r := &repo{dir: dir, branch: branch}
	go r.watch()
	return r
}

func (r *repo) watch() {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err != nil {
		fatal("inotify: %v", err)
	}
	// A push moves a new file to the ref's name; a gc of the remote moves the refs into a file beside them.
	for _, dir := range []string{filepath.Join(r.dir, "refs", "heads"), r.dir} {
		if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_MOVED_TO); err != nil {
			fatal("watch %s: %v", dir, err)
		}
	}
	events := make([]byte, 64*1024)
	for last := ""; ; {
		if commit := r.head(); commit != "" && commit != last {
			last = commit
			r.mu.Lock()
			r.changes = append(r.changes, refChange{commit, time.Now()})
			r.mu.Unlock()
		}
		if _, err := syscall.Read(fd, events); err != nil && err != syscall.EINTR {
			fatal("inotify: %v", err)
		}
	}
}

func (r *repo) head() string {
	b, err := os.ReadFile(filepath.Join(r.dir, "refs", "heads", r.branch))
	if err != nil {
		return r.packed() // a gc of the remote moves it there
	}
	return strings.TrimSpace(string(b))
}

func (r *repo) packed() string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "packed-refs"))
	before, _, ok := strings.Cut(string(b), " refs/heads/"+r.branch+"\n")
	if !ok {
		return ""
	}
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// begin forgets the edits of the scenario before, and gives the number of changes of the ref so far.
func (r *repo) begin() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.edits = nil
	return len(r.changes)
}

func (r *repo) edited(key string, generation int64, at time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.edits = append(r.edits, publishEdit{key, generation, at})
}

func (r *repo) lastChange() (t time.Time) {
	if r == nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.changes); n > 0 {
		t = r.changes[n-1].at
	}
	return t
}

// A commit's trailer: `Fairlead-Resource: BenchSet bench-1/cr-00001 generation 4`.
var trailer = regexp.MustCompile(`(?m)^Fairlead-Resource: \S+ (\S+) generation (\d+)$`)

// report adds what happened on the branch since the phase began: commits, and for every edit the time from the answer to
// its PATCH until the branch had a commit that names it, or a later generation.
func (r *repo) report(out result, p *phase) {
	if r == nil {
		return
	}
	r.mu.Lock()
	changes := append([]refChange(nil), r.changes...)
	edits := r.edits
	r.mu.Unlock()
	out["ref_changes"] = len(changes) - p.refChanges
	span := r.branch
	if p.refChanges > 0 {
		span = changes[p.refChanges-1].commit + ".." + r.branch
	}
	seen := map[string]time.Time{}
	for _, c := range changes {
		seen[c.commit] = c.at
	}
	type published struct {
		generation int64
		at         time.Time
	}
	named := map[string][]published{}
	commits := 0
	var at time.Time // newest first: a commit is on the branch when the first ref at or after it was seen
	for _, block := range strings.Split(r.git("log", "--format=%x01%H%x00%B", span), "\x01") {
		hash, message, ok := strings.Cut(block, "\x00")
		if !ok {
			continue
		}
		commits++
		if t, ok := seen[hash]; ok {
			at = t
		}
		for _, m := range trailer.FindAllStringSubmatch(message, -1) {
			generation, _ := strconv.ParseInt(m[2], 10, 64)
			named[m[1]] = append(named[m[1]], published{generation, at})
		}
	}
	out["commits"] = commits
	var latencies []float64
	missing := 0
	for _, e := range edits {
		var first time.Time
		for _, c := range named[e.key] {
			if c.generation >= e.generation && (first.IsZero() || c.at.Before(first)) {
				first = c.at
			}
		}
		if first.IsZero() {
			missing++ // a commit of more than 20 resources does not name them all
			continue
		}
		latencies = append(latencies, ms(first.Sub(e.at)))
	}
	out["commit_ms"], out["commit_unnamed"] = quant(latencies), missing
	out["bad_published"] = r.wrongFolders()
}

// wrongFolders counts the CRs whose folder on the branch has another number of files than the CR has children.
func (r *repo) wrongFolders() int {
	files := map[string]int{}
	for _, path := range strings.Split(r.git("ls-tree", "-r", "--name-only", r.branch), "\n") {
		if dir := strings.Split(path, "/"); len(dir) >= 4 {
			files[dir[len(dir)-4]+"/"+dir[len(dir)-2]]++
		}
	}
	tr := current.tr
	tr.mu.Lock()
	defer tr.mu.Unlock()
	wrong := 0
	for key, s := range tr.crs {
		if s.size >= 0 && files[key] != s.size {
			wrong++
		}
	}
	return wrong
}

func (r *repo) git(args ...string) string {
	out, _ := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...).Output()
	return string(out)
}

// gitLog is the file to which a wrapper around git writes the operator's commands, one per line.
type gitLog string

func (g gitLog) lines() [][]byte {
	b, err := os.ReadFile(string(g))
	if err != nil || len(b) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

func (g gitLog) since(line int) map[string]int {
	out := map[string]int{}
	lines := g.lines()
	for _, l := range lines[min(line, len(lines)):] {
		out[string(l)]++
	}
	return out
}
