{{- define "fluxhook.name" -}}
{{- .Values.nameOverride | default "fluxhook" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the Service, of both webhook configurations and of the Lease: serve's --name. Configurations are
called in the order of their names, so it must come before jobset… and kueue…. */}}
{{- define "fluxhook.fullname" -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- $made := ternary $release (printf "fluxhook-%s" $release) (hasPrefix "fluxhook" $release) -}}
{{- .Values.fullnameOverride | default $made | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "fluxhook.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fluxhook.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Of every object; commonLabels can't exchange one of ours. */}}
{{- define "fluxhook.labels" -}}
{{- $ours := include "fluxhook.selectorLabels" . | fromYaml -}}
{{- $_ := set $ours "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $ours "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $ours "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{- merge $ours .Values.commonLabels | toYaml -}}
{{- end -}}

{{- define "fluxhook.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "fluxhook.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Where the certificate is from: cert-manager, secret or self-managed. */}}
{{- define "fluxhook.tls" -}}
{{- if .Values.certManager.enabled -}}cert-manager
{{- else if .Values.tls.secretName -}}secret
{{- else -}}self-managed
{{- end -}}
{{- end -}}

{{/* The Secret that is mounted as /certs; none when the server keeps its own. */}}
{{- define "fluxhook.tlsSecret" -}}
{{- $tls := include "fluxhook.tls" . -}}
{{- if eq $tls "cert-manager" -}}
{{- printf "%s-serving" (include "fluxhook.fullname" .) -}}
{{- else if eq $tls "secret" -}}
{{- .Values.tls.secretName -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.curveKeySecret" -}}
{{- .Values.controller.curveKeySecret | default (printf "%s-curve-key" (include "fluxhook.fullname" .)) -}}
{{- end -}}

{{/* Whether the server talks to the API server at all: "" when not, and then it has neither token nor role. */}}
{{- define "fluxhook.needsApi" -}}
{{- if or .Values.controller.enabled (eq (include "fluxhook.tls" .) "self-managed") -}}yes{{- end -}}
{{- end -}}

{{/* The smallest number of pods that there are. */}}
{{- define "fluxhook.replicas" -}}
{{- ternary .Values.autoscaling.minReplicas .Values.replicaCount .Values.autoscaling.enabled -}}
{{- end -}}

{{/* A duration of serve's, 10s, 500ms or 1m, in whole seconds and rounded up. */}}
{{- define "fluxhook.seconds" -}}
{{- $number := regexFind "^[0-9]+" . | int -}}
{{- if hasSuffix "ms" . -}}{{ div (add $number 999) 1000 }}
{{- else if hasSuffix "m" . -}}{{ mul $number 60 }}
{{- else -}}{{ $number }}
{{- end -}}
{{- end -}}

{{/* The namespace of `helm test`'s JobSet; "" when there is no test. */}}
{{- define "fluxhook.testNamespace" -}}
{{- $default := ternary "" "default" (eq .Release.Namespace "default") -}}
{{- if .Values.tests.enabled -}}{{ .Values.tests.namespace | default $default }}{{- end -}}
{{- end -}}
