// peer: what companions.py compares fluxhook's controller with: an informer of client-go and twelve workers, without a
// limit of its own, that make a Secret and a ConfigMap of the same sizes for each JobSet of a namespace:
//
//	peer NAMESPACE SECRET-BYTES CONFIGMAP-BYTES
package main

import (
	"context"
	"log"
	"os"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const workers = 12

func owned(jobset *unstructured.Unstructured, name string) metav1.ObjectMeta {
	controller := true
	return metav1.ObjectMeta{
		Name:   jobset.GetName() + name,
		Labels: map[string]string{"app.kubernetes.io/managed-by": "peer"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: jobset.GetAPIVersion(), Kind: jobset.GetKind(),
			Name: jobset.GetName(), UID: jobset.GetUID(), Controller: &controller}},
	}
}

func main() {
	namespace := os.Args[1]
	secretSize, _ := strconv.Atoi(os.Args[2])
	mapSize, _ := strconv.Atoi(os.Args[3])
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	client := kubernetes.NewForConfigOrDie(config)
	queue := workqueue.NewTyped[*unstructured.Unstructured]()
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0, namespace, nil)
	jobsets := schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}
	_, err = factory.ForResource(jobsets).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { queue.Add(object.(*unstructured.Unstructured)) }})
	if err != nil {
		log.Fatal(err)
	}
	immutable, ctx := true, context.Background()
	for range workers {
		go func() {
			for {
				jobset, _ := queue.Get()
				secret := corev1.Secret{ObjectMeta: owned(jobset, "-flux-curve"), Immutable: &immutable,
					Data: map[string][]byte{"curve.cert": []byte(strings.Repeat("x", secretSize))}}
				if _, err := client.CoreV1().Secrets(namespace).Create(ctx, &secret, metav1.CreateOptions{}); err != nil {
					log.Print(err)
				}
				files := corev1.ConfigMap{ObjectMeta: owned(jobset, "-flux-entrypoint"), Immutable: &immutable,
					Data: map[string]string{"entrypoint.sh": strings.Repeat("x", mapSize)}}
				if _, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, &files, metav1.CreateOptions{}); err != nil {
					log.Print(err)
				}
				queue.Done(jobset)
			}
		}()
	}
	factory.Start(ctx.Done())
	select {}
}
