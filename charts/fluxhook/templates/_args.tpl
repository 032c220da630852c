{{/* The flags of fluxhook serve, one a line, without extraArgs. */}}
{{- define "fluxhook.ownArgs" -}}
--listen=:{{ .Values.server.port }}
--metrics-listen={{ ternary (printf ":%d" (int .Values.metrics.port)) "off" .Values.metrics.enabled }}
--name={{ include "fluxhook.fullname" . }}
--namespace=$(POD_NAMESPACE)
{{- if eq (include "fluxhook.tls" .) "self-managed" }}
--tls-self-managed
{{- else }}
--tls-cert=/certs/tls.crt
--tls-key=/certs/tls.key
{{- end }}
{{- if or .Values.clientCA.configMap .Values.clientCA.secret }}
--client-ca=/client-ca/{{ .Values.clientCA.key }}
{{- range .Values.clientCA.names }}
--client-name={{ . }}
{{- end }}
{{- end }}
--controller={{ ternary "on" "off" .Values.controller.enabled }}
{{- if .Values.controller.enabled }}
{{- if .Values.controller.curveDerivation }}
--curve-derivation={{ .Values.controller.curveDerivation }}
{{- else }}
--curve-key-secret={{ include "fluxhook.curveKeySecret" . }}
{{- end }}
{{- end }}
--label={{ .Values.webhook.label }}
--cluster-domain={{ .Values.clusterDomain }}
{{- range $name, $value := .Values.defaults }}
--default-{{ $name }}={{ $value }}
{{- end }}
--max-connections={{ int .Values.server.maxConnections }}
--threads={{ int .Values.server.threads }}
--drain-timeout={{ .Values.server.drainTimeout }}
--log-level={{ .Values.log.level }}
--log-format={{ .Values.log.format }}
{{- end -}}

{{- define "fluxhook.args" -}}
- serve
{{- range splitList "\n" (include "fluxhook.ownArgs" .) }}
- {{ . | quote }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
