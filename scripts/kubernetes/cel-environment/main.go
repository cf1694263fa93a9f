// Prints the functions, methods and macros that an API server's expressions have in the environments of releases, as JSON: which of
// them there are is put together at run time. scripts/kubernetes/cel-functions.mjs runs it against the modules of the release.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

type answer struct {
	Functions []string `json:"functions"`
	Methods   []string `json:"methods"`
	Macros    []string `json:"macros"`
}

func main() {
	answers := []answer{}
	for _, release := range os.Args[1:] {
		answers = append(answers, environmentOf(release))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func environmentOf(release string) answer {
	env := environment.MustBaseEnvSet(version.MustParse(release)).NewExpressionsEnv()
	found := answer{Functions: []string{}, Methods: []string{}, Macros: []string{}}
	functions := env.Functions()
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, overload := range functions[name].OverloadDecls() {
			types := []string{}
			for _, each := range overload.ArgTypes() {
				types = append(types, each.String())
			}
			text := fmt.Sprintf("%s(%s): %s", name, strings.Join(types, ", "), overload.ResultType())
			if overload.IsMemberFunction() {
				found.Methods = append(found.Methods, text)
			} else {
				found.Functions = append(found.Functions, text)
			}
		}
	}
	for _, macro := range env.Macros() {
		found.Macros = append(found.Macros, macro.Function()+"/"+strconv.Itoa(macro.ArgCount()))
	}
	slices.Sort(found.Macros)
	return found
}
