{{/* Choices that work and are risky, one a line. */}}
{{- define "fluxhook.warnings" -}}
{{- $tls := include "fluxhook.tls" . -}}
{{- if and (eq .Values.image.repository "fluxhook") (not .Values.image.digest) }}
image.repository is "fluxhook", which no registry has: that image must be on every node already.
{{- end }}
{{- if eq .Values.webhook.failurePolicy "Ignore" }}
webhook.failurePolicy is Ignore: while the webhook can't be reached, labelled JobSets are created without Flux, and run their command once in every pod.
{{- end }}
{{- if lt (include "fluxhook.replicas" . | int) 2 }}
there is one replica{{ if eq .Values.webhook.failurePolicy "Fail" }}: while its node is drained or down, no labelled JobSet can be created{{ end }}.
{{- end }}
{{- if and (gt (include "fluxhook.replicas" . | int) 1) (not .Values.podDisruptionBudget.enabled) }}
podDisruptionBudget.enabled is false: a drain may take all pods at once.
{{- end }}
{{- if .Values.controller.curveDerivation }}
controller.curveDerivation is uid: whoever can read a JobSet's uid can compute its curve certificate and join its cluster.
{{- end }}
{{- if not .Values.controller.enabled }}
controller.enabled is false: pods of injected JobSets wait until somebody else creates their ConfigMap and Secret.
{{- end }}
{{- if and (eq $tls "secret") (not .Values.tls.caBundle) }}
tls.caBundle is empty: until somebody else fills in the caBundle, the API server takes only a certificate that its own machine trusts.
{{- end }}
{{- if eq .Values.image.tag "latest" }}
image.tag is latest: pods of one release may run different versions.
{{- end }}
{{- if and (include "fluxhook.needsApi" .) (not .Values.rbac.create) }}
rbac.create is false: the server needs the permissions that the chart's README lists.
{{- end }}
{{- end -}}
