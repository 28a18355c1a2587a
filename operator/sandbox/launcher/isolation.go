package main

import (
	"slices"
	"strconv"
)

// isolation are the restrictions that are in force.
type isolation struct {
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
	isUp func(*isolation) bool
}{
	{"no-new-privileges", func(isolation *isolation) bool { return isolation.NoNewPrivileges }},
	{"files", func(isolation *isolation) bool { return isolation.Handled.fs != 0 }},
	{"tcp", func(isolation *isolation) bool { return isolation.Handled.net != 0 }},
	{"scopes", func(isolation *isolation) bool { return isolation.Handled.scoped != 0 }},
	{"seccomp", func(isolation *isolation) bool { return isolation.Seccomp != "" }},
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
func (isolation *isolation) missing(required []string) []string {
	var missing []string
	for _, layer := range layers {
		isRequired := slices.Contains(required, "all") || slices.Contains(required, layer.name)
		if isRequired && !layer.isUp(isolation) {
			missing = append(missing, layer.name)
		}
	}
	return missing
}

// json is one line; encoding/json would make the launcher larger and its start slower.
func (isolation *isolation) json() string {
	inForce, missing := "", ""
	for _, layer := range layers {
		list := &missing
		if layer.isUp(isolation) {
			list = &inForce
		}
		if *list != "" {
			*list += ","
		}
		*list += strconv.Quote(layer.name)
	}
	return `{"landlockAbi":` + strconv.Itoa(isolation.LandlockABI) +
		`,"layers":[` + inForce + `],"missing":[` + missing + `]` +
		`,"fileRights":` + strconv.FormatUint(isolation.Handled.fs, 10) +
		`,"tcpRights":` + strconv.FormatUint(isolation.Handled.net, 10) +
		`,"scopes":` + strconv.FormatUint(isolation.Handled.scoped, 10) +
		`,"seccomp":` + strconv.Quote(isolation.Seccomp) +
		`,"uid":` + strconv.Itoa(isolation.UID) + "}\n"
}
