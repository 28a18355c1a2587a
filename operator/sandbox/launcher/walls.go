package main

import (
	"slices"
	"strconv"
)

// walls are the restrictions that are in force.
type walls struct {
	NoNewPrivileges bool
	LandlockABI     int
	Handled         rulesetAttribute
	Seccomp         string
	Limits          bool
	UID             int
}

// layers in the order of docs/sandbox.md.
var layers = []struct {
	name string
	isUp func(*walls) bool
}{
	{"no-new-privileges", func(walls *walls) bool { return walls.NoNewPrivileges }},
	{"files", func(walls *walls) bool { return walls.Handled.fs != 0 }},
	{"tcp", func(walls *walls) bool { return walls.Handled.net != 0 }},
	{"scopes", func(walls *walls) bool { return walls.Handled.scoped != 0 }},
	{"seccomp", func(walls *walls) bool { return walls.Seccomp != "" }},
}

func checkLayers(names []string) error {
	for _, name := range names {
		isKnown := name == "all"
		for _, layer := range layers {
			isKnown = isKnown || layer.name == name
		}
		if !isKnown {
			return failure("Cannot require \"" + name + "\": no such layer")
		}
	}
	return nil
}

// missing returns the required layers that are not in force.
func (walls *walls) missing(required []string) []string {
	var missing []string
	for _, layer := range layers {
		isRequired := slices.Contains(required, "all") || slices.Contains(required, layer.name)
		if isRequired && !layer.isUp(walls) {
			missing = append(missing, layer.name)
		}
	}
	return missing
}

// json is one line; encoding/json would make the launcher larger and its start slower.
func (walls *walls) json() string {
	inForce, missing := "", ""
	for _, layer := range layers {
		list := &missing
		if layer.isUp(walls) {
			list = &inForce
		}
		if *list != "" {
			*list += ","
		}
		*list += strconv.Quote(layer.name)
	}
	return `{"landlockAbi":` + strconv.Itoa(walls.LandlockABI) +
		`,"layers":[` + inForce + `],"missing":[` + missing + `]` +
		`,"fileRights":` + strconv.FormatUint(walls.Handled.fs, 10) +
		`,"tcpRights":` + strconv.FormatUint(walls.Handled.net, 10) +
		`,"scopes":` + strconv.FormatUint(walls.Handled.scoped, 10) +
		`,"seccomp":` + strconv.Quote(walls.Seccomp) +
		`,"uid":` + strconv.Itoa(walls.UID) + "}\n"
}
