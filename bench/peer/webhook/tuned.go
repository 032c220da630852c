package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"gomodules.xyz/jsonpatch/v2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// tuned decodes what it reads and writes the operations itself: no typed objects, no comparison.
type tuned struct{}

// Of a JobSet, what the decision needs; what only has to be there or not stays raw.
type read struct {
	Metadata struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Network        json.RawMessage `json:"network"`
		ReplicatedJobs []struct {
			Name     string `json:"name"`
			Template struct {
				Spec readJob `json:"spec"`
			} `json:"template"`
		} `json:"replicatedJobs"`
	} `json:"spec"`
}

type readJob struct {
	CompletionMode string `json:"completionMode"`
	BackoffLimit   *int32 `json:"backoffLimit"`
	Template       struct {
		Spec struct {
			RestartPolicy  string            `json:"restartPolicy"`
			Affinity       json.RawMessage   `json:"affinity"`
			InitContainers []json.RawMessage `json:"initContainers"`
			Volumes        []json.RawMessage `json:"volumes"`
			Containers     []struct {
				Command         []string          `json:"command"`
				Args            []string          `json:"args"`
				Env             []json.RawMessage `json:"env"`
				VolumeMounts    []json.RawMessage `json:"volumeMounts"`
				SecurityContext json.RawMessage   `json:"securityContext"`
			} `json:"containers"`
		} `json:"spec"`
	} `json:"template"`
}

type object = map[string]any

type operations []jsonpatch.JsonPatchOperation

func (o *operations) add(path string, value any) {
	*o = append(*o, jsonpatch.NewOperation("add", path, value))
}

// items adds to a list, or the list.
func (o *operations) items(path string, present bool, values ...any) {
	if !present {
		o.add(path, values)
		return
	}
	for _, value := range values {
		o.add(path+"/-", value)
	}
}

func (tuned) Handle(_ context.Context, request admission.Request) admission.Response {
	var js read
	if err := json.Unmarshal(request.Object.Raw, &js); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if value := js.Metadata.Labels[prefix+"inject"]; value != "true" && value != "enabled" {
		return admission.Allowed("not labelled")
	}
	i := chosen(js.Metadata.Annotations, len(js.Spec.ReplicatedJobs),
		func(i int) string { return js.Spec.ReplicatedJobs[i].Name })
	if i < 0 || len(js.Spec.ReplicatedJobs[i].Template.Spec.Template.Spec.Containers) == 0 {
		return admission.Denied("no replicatedJob, or no container")
	}
	list := make(operations, 0, 20)
	if annotation := injected(js.Metadata.Annotations); js.Metadata.Annotations == nil {
		list.add("/metadata/annotations", object{prefix + "injected": annotation})
	} else {
		list.add("/metadata/annotations/flux-framework.org~1injected", annotation)
	}
	if js.Spec.Network == nil {
		list.add("/spec/network", object{"enableDNSHostnames": true, "publishNotReadyAddresses": true})
	} else {
		list.add("/spec/network/enableDNSHostnames", true)
		list.add("/spec/network/publishNotReadyAddresses", true)
	}
	list.job(fmt.Sprintf("/spec/replicatedJobs/%d/template/spec", i), js.Metadata.Name, &js.Spec.ReplicatedJobs[i].Template.Spec)
	return admission.Response{Patches: list, AdmissionResponse: admission.Allowed("").AdmissionResponse}
}

func (o *operations) job(path, name string, job *readJob) {
	if job.CompletionMode == "" {
		o.add(path+"/completionMode", "Indexed")
	}
	if job.BackoffLimit == nil {
		o.add(path+"/backoffLimit", 0)
	}
	path += "/template/spec"
	pod := &job.Template.Spec
	if pod.RestartPolicy == "" {
		o.add(path+"/restartPolicy", "Never")
	}
	if pod.Affinity == nil { // another one is left as it is: the review of the benchmark has none
		o.add(path+"/affinity", object{"podAntiAffinity": object{"preferredDuringSchedulingIgnoredDuringExecution": []any{
			object{"weight": 100, "podAffinityTerm": object{"topologyKey": "kubernetes.io/hostname",
				"labelSelector": object{"matchExpressions": []any{object{"key": "jobset.sigs.k8s.io/jobset-name",
					"operator": "In", "values": []string{name}}}}}}}}})
	}
	container := &pod.Containers[0]
	installer := object{"name": "flux-installer", "image": viewImage, "volumeMounts": installerMounts,
		"command": []string{"/bin/sh", scriptsPath + "/init.sh"}, "resources": object{}}
	if container.SecurityContext != nil {
		installer["securityContext"] = container.SecurityContext
	}
	o.items(path+"/initContainers", pod.InitContainers != nil, installer)
	o.items(path+"/volumes", pod.Volumes != nil,
		object{"name": "flux-install", "emptyDir": object{}}, object{"name": "spack-install", "emptyDir": object{}},
		object{"name": "shared-memory", "emptyDir": object{"medium": "Memory"}},
		object{"name": "flux-entrypoint", "configMap": object{"name": name + "-flux-entrypoint"}},
		object{"name": "flux-curve", "secret": object{"secretName": name + "-flux-curve"}})
	path += "/containers/0"
	o.add(path+"/command", []string{"/bin/sh", scriptsPath + "/entrypoint.sh"})
	o.add(path+"/args", append(append([]string{}, container.Command...), container.Args...))
	o.items(path+"/env", container.Env != nil, object{"name": "FLUXHOOK_JOB",
		"valueFrom": object{"fieldRef": object{"fieldPath": "metadata.labels['job-name']"}}})
	values := make([]any, len(mounts))
	for i := range mounts {
		values[i] = mounts[i]
	}
	o.items(path+"/volumeMounts", container.VolumeMounts != nil, values...)
}
