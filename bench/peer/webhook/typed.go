package main

import (
	"context"
	"encoding/json"
	"net/http"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// typed decodes the JobSet, changes it and lets controller-runtime compare the two.
type typed struct{ decoder admission.Decoder }

func (t *typed) Handle(_ context.Context, request admission.Request) admission.Response {
	js := &jobset.JobSet{}
	if err := t.decoder.Decode(request, js); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if value := js.Labels[prefix+"inject"]; value != "true" && value != "enabled" {
		return admission.Allowed("not labelled")
	}
	i := chosen(js.Annotations, len(js.Spec.ReplicatedJobs), func(i int) string { return js.Spec.ReplicatedJobs[i].Name })
	if i < 0 || len(js.Spec.ReplicatedJobs[i].Template.Spec.Template.Spec.Containers) == 0 {
		return admission.Denied("no replicatedJob, or no container")
	}
	inject(js, &js.Spec.ReplicatedJobs[i].Template.Spec)
	text, err := json.Marshal(js)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, text)
}

func inject(js *jobset.JobSet, job *batchv1.JobSpec) {
	if js.Annotations == nil {
		js.Annotations = map[string]string{}
	}
	js.Annotations[prefix+"injected"] = injected(js.Annotations)
	if js.Spec.Network == nil {
		js.Spec.Network = &jobset.Network{}
	}
	yes := true
	js.Spec.Network.EnableDNSHostnames, js.Spec.Network.PublishNotReadyAddresses = &yes, &yes
	if job.CompletionMode == nil {
		mode := batchv1.IndexedCompletion
		job.CompletionMode = &mode
	}
	if job.BackoffLimit == nil {
		job.BackoffLimit = new(int32)
	}
	pod := &job.Template.Spec
	if pod.RestartPolicy == "" {
		pod.RestartPolicy = corev1.RestartPolicyNever
	}
	addAffinity(js.Name, pod)
	container := &pod.Containers[0]
	pod.InitContainers = append(pod.InitContainers, corev1.Container{Name: "flux-installer", Image: viewImage,
		Command: []string{"/bin/sh", scriptsPath + "/init.sh"}, VolumeMounts: typedMounts(installerMounts),
		SecurityContext: container.SecurityContext})
	addVolumes(js.Name, pod)
	container.Args = append(append([]string{}, container.Command...), container.Args...)
	container.Command = []string{"/bin/sh", scriptsPath + "/entrypoint.sh"}
	container.Env = append(container.Env, corev1.EnvVar{Name: "FLUXHOOK_JOB", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['job-name']"}}})
	container.VolumeMounts = append(container.VolumeMounts, typedMounts(mounts)...)
}

func addAffinity(name string, pod *corev1.PodSpec) {
	if pod.Affinity == nil {
		pod.Affinity = &corev1.Affinity{}
	}
	if pod.Affinity.PodAntiAffinity == nil {
		pod.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{}
	}
	anti := pod.Affinity.PodAntiAffinity
	anti.PreferredDuringSchedulingIgnoredDuringExecution = append(anti.PreferredDuringSchedulingIgnoredDuringExecution,
		corev1.WeightedPodAffinityTerm{Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: jobset.JobSetNameKey, Operator: metav1.LabelSelectorOpIn, Values: []string{name}}}},
			TopologyKey: corev1.LabelHostname}})
}

func addVolumes(name string, pod *corev1.PodSpec) {
	memory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}
	scripts := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name + "-flux-entrypoint"}}
	curve := &corev1.SecretVolumeSource{SecretName: name + "-flux-curve"}
	pod.Volumes = append(pod.Volumes,
		corev1.Volume{Name: "flux-install", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		corev1.Volume{Name: "spack-install", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		corev1.Volume{Name: "shared-memory", VolumeSource: corev1.VolumeSource{EmptyDir: memory}},
		corev1.Volume{Name: "flux-entrypoint", VolumeSource: corev1.VolumeSource{ConfigMap: scripts}},
		corev1.Volume{Name: "flux-curve", VolumeSource: corev1.VolumeSource{Secret: curve}})
}

func typedMounts(list []mount) []corev1.VolumeMount {
	var typed []corev1.VolumeMount
	for _, one := range list {
		typed = append(typed, corev1.VolumeMount{Name: one.Name, MountPath: one.MountPath, ReadOnly: one.ReadOnly})
	}
	return typed
}
