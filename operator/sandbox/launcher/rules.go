package main

import (
	"strconv"
	"strings"
	"syscall"
)

// rules are the restrictions in the command line.
type rules struct {
	paths   []pathRule
	limits  []limit
	env     []string
	require []string
	seccomp string
	// TCP ports that may be used; anyPort lifts the restriction of connections.
	ports   []portRule
	anyPort bool
	// User and group to become when started by root; 0 stays root.
	uid uint32
	// User of the processes that the program starts, if root starts it; 0: none.
	childrenUser uint32
	// Unix socket that the program gets; empty: none.
	listen  string
	report  bool
	program []string
	// Where the program's file is open until the exec; see openPaths.
	descriptor int
	// See onceAs.
	secret uint64
}

// portRule grants rights on a TCP port.
type portRule struct{ access, port uint64 }

// pathRule grants rights on a file, or on all that is below a folder.
type pathRule struct {
	path   string
	access uint64
}

type failure string

func (text failure) Error() string { return string(text) }

// nobody is the user without files.
const nobody = 65_534

const usage = `usage: fairlead-launch [RULE...] -- PROGRAM [ARGUMENT...]
       fairlead-launch [RULE...] --report

  --ro PATH            may read this file, or all below this folder
  --rw PATH            may also write, create and delete there
  --exec PATH          may read and execute this file, or all below this folder
  --tcp-connect PORT   may connect to this TCP port; "any": to all
  --tcp-listen PORT    may listen on this TCP port; 0: on one that the kernel chooses
  --listen PATH        listen on this Unix socket, which the program gets as descriptor 3
  --seccomp PROFILE    which system calls may be made: ` + profileNames + `
  --memory-data BYTES  --cpu-seconds N  --processes N  --file-size BYTES  --open-files N  --core BYTES
  --user ID            user and group when started by root; default 65534, 0 stays root
  --children-user ID   user that its children may become when root starts it
  --env NAME=VALUE     the only environment that the program gets
  --keep-env           give the program the launcher's environment: other users can read a command line
  --require LAYER      fail if the kernel lacks it: no-new-privileges, files, tcp, scopes, seccomp, all
  --report             print which layers are in force as JSON, and start nothing`

// parseRules parses the command line. An unknown rule is an error: ignoring it would omit a restriction.
func parseRules(words []string) (*rules, error) {
	parsed := &rules{uid: nobody}
	for i := 0; i < len(words); i++ {
		name, value, hasValue := strings.Cut(words[i], "=")
		if name == "--" {
			parsed.program = words[i+1:]
			break
		}
		if name == "--report" && !hasValue {
			parsed.report = true
			continue
		}
		if name == "--keep-env" && !hasValue {
			parsed.env = append(parsed.env, syscall.Environ()...)
			continue
		}
		if !hasValue {
			if i++; i >= len(words) {
				return nil, failure("Cannot read \"" + name + "\": it needs a value\n" + usage)
			}
			value = words[i]
		}
		if err := parsed.add(name, value); err != nil {
			return nil, err
		}
	}
	if len(parsed.program) == 0 && !parsed.report {
		return nil, failure(usage)
	}
	return parsed, nil
}

func (parsed *rules) add(name, value string) error {
	if access, ok := pathRights[name]; ok {
		parsed.paths = append(parsed.paths, pathRule{value, access})
		return nil
	}
	if resource, ok := resources[name]; ok {
		return parsed.addLimit(resource, name, value)
	}
	switch name {
	case "--tcp-connect":
		if value == "any" {
			parsed.anyPort = true
			return nil
		}
		return parsed.addPort(netConnect, name, value)
	case "--tcp-listen":
		return parsed.addPort(netBind, name, value)
	case "--listen":
		parsed.listen = value
	case "--seccomp":
		if _, ok := profiles[value]; !ok {
			return failure("Cannot read " + name + " \"" + value + "\": expected " + profileNames)
		}
		parsed.seccomp = value
	case "--user":
		uid, err := strconv.ParseUint(value, 10, 31)
		parsed.uid = uint32(uid)
		return badValue(name, value, err)
	case "--children-user":
		uid, err := strconv.ParseUint(value, 10, 31)
		parsed.childrenUser = uint32(uid)
		return badValue(name, value, err)
	case "--env":
		parsed.env = append(parsed.env, value)
	case "--require":
		parsed.require = append(parsed.require, strings.Split(value, ",")...)
		return checkLayers(parsed.require)
	default:
		return failure("Cannot read \"" + name + "\": no such rule\n" + usage)
	}
	return nil
}

func (parsed *rules) addLimit(resource int, name, value string) error {
	amount, err := strconv.ParseUint(value, 10, 63)
	parsed.limits = append(parsed.limits, limit{resource, amount})
	return badValue(name, value, err)
}

func (parsed *rules) addPort(access uint64, name, value string) error {
	port, err := strconv.ParseUint(value, 10, 16)
	parsed.ports = append(parsed.ports, portRule{access, port})
	return badValue(name, value, err)
}

func badValue(name, value string, err error) error {
	if err == nil {
		return nil
	}
	return failure("Cannot read " + name + " \"" + value + "\": expected a number in range")
}

func join(words []string) string { return strings.Join(words, ", ") }
