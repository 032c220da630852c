// strict reads YAML documents from stdin and decodes each into Kubernetes' own Go type, as an API server with
// fieldValidation=Strict does: an unknown, misspelt or repeated field, or one of the wrong type, is printed and makes it
// exit with 1. The arguments are API groups that it doesn't know and passes over.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// decode says what is wrong with one document; known is false where it has no object, or one of a group to pass over.
func decode(serializer *json.Serializer, document []byte) (known bool, fault error) {
	_, kind, fault := serializer.Decode(document, nil, nil)
	if runtime.IsMissingKind(fault) || runtime.IsNotRegisteredError(fault) && slices.Contains(os.Args[1:], kind.Group) {
		return false, nil
	}
	if fault != nil {
		fault = fmt.Errorf("%v: %w", kind, fault)
	}
	return true, fault
}

func main() {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	count, failed := 0, false
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		known := true
		if err == nil {
			known, err = decode(serializer, document)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
		if known {
			count++
		}
	}
	fmt.Println(count, "objects")
	if failed || count == 0 {
		os.Exit(1)
	}
}
