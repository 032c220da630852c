// webhook: what scripts/bench compares fluxhook with: the same injection on controller-runtime, at /typed as its users write
// it (decode, change, PatchResponseFromRaw) and at /tuned by hand (what is needed decoded, the operations written down):
//
//	webhook HOST:PORT FOLDER      FOLDER has tls.crt and tls.key
//
// Both do less than fluxhook: settings are taken as they are, and little of the JobSet is checked.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

const (
	prefix      = "flux-framework.org/"
	viewImage   = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"
	scriptsPath = "/etc/flux-config"
)

// What the pods get: one list for both handlers.
type mount struct {
	Name      string `json:"name"`
	MountPath string `json:"mountPath"`
	ReadOnly  bool   `json:"readOnly,omitempty"`
}

var mounts = []mount{{"flux-install", "/mnt/flux", false}, {"spack-install", "/opt/software", false},
	{"shared-memory", "/dev/shm", false}, {"flux-entrypoint", scriptsPath, true}, {"flux-curve", "/curve", true}}

var installerMounts = []mount{{"flux-install", "/mnt/flux", false}, {"spack-install", "/mnt/software", false},
	{"flux-entrypoint", scriptsPath, true}}

var defaults = map[string]string{"affinity": "true", "complete-on": "all", "connect-timeout": "5s", "interactive": "false",
	"log-level": "4", "network-device": "eth0", "pmi": "auto", "queue-policy": "fcfs", "view-image": viewImage}

// injected is the annotation with the settings in use.
func injected(annotations map[string]string) string {
	used, set := map[string]string{}, map[string]string{}
	for name, value := range defaults {
		used[name] = value
	}
	for name, value := range annotations {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			set[name[len(prefix):]] = value
			delete(used, name[len(prefix):])
		}
	}
	text, _ := json.Marshal(map[string]any{"defaults": used, "set": set, "version": "0.1.0"})
	return string(text)
}

// chosen is the index of the replicatedJob that becomes the instance, or -1.
func chosen(annotations map[string]string, count int, name func(int) string) int {
	wanted := annotations[prefix+"replicated-jobs"]
	for i := range count {
		if name(i) == wanted || (wanted == "" && count == 1) {
			return i
		}
	}
	return -1
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: webhook HOST:PORT FOLDER")
	}
	host, port, err := net.SplitHostPort(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		log.Fatal(err)
	}
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := jobset.AddToScheme(scheme); err != nil {
		log.Fatal(err)
	}
	server := webhook.NewServer(webhook.Options{Host: host, Port: number, CertDir: os.Args[2],
		TLSOpts: []func(*tls.Config){func(config *tls.Config) { config.MinVersion = tls.VersionTLS13 }}})
	server.Register("/typed", &admission.Webhook{Handler: &typed{decoder: admission.NewDecoder(scheme)}})
	server.Register("/tuned", &admission.Webhook{Handler: tuned{}})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := server.Start(ctx); err != nil {
		log.Fatal(err)
	}
}
