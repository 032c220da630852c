{{- define "fluxhook.podSpec" -}}
serviceAccountName: {{ include "fluxhook.serviceAccount" . | quote }}
automountServiceAccountToken: {{ eq (include "fluxhook.needsApi" .) "yes" }}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int .Values.terminationGracePeriodSeconds }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "fluxhook.spread" . }}
containers:
- name: fluxhook
  {{- include "fluxhook.container" . | nindent 2 }}
{{- include "fluxhook.volumes" . }}
{{- end -}}

{{/* How pods keep apart: softly, so that one node is enough. */}}
{{- define "fluxhook.spread" -}}
{{- $several := gt (include "fluxhook.replicas" . | int) 1 }}
{{- if .Values.affinity }}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- else if $several }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "fluxhook.selectorLabels" . | nindent 12 }}
{{- end }}
{{- if .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml .Values.topologySpreadConstraints | nindent 2 }}
{{- else if $several }}
topologySpreadConstraints:
- topologyKey: topology.kubernetes.io/zone
  maxSkew: 1
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "fluxhook.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "fluxhook.container" -}}
image: {{ include "fluxhook.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args:
{{- include "fluxhook.args" . | nindent 0 }}
env:
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- with .Values.extraEnv }}
{{- toYaml . | nindent 0 }}
{{- end }}
ports:
- name: https
  containerPort: {{ .Values.server.port }}
{{- if .Values.metrics.enabled }}
- name: metrics
  containerPort: {{ .Values.metrics.port }}
{{- end }}
{{- /* The server listens when it has its certificate, which may take until cert-manager has made it. */}}
startupProbe:
  httpGet: {path: /livez, port: https, scheme: HTTPS}
  periodSeconds: 1
  failureThreshold: 120
livenessProbe:
  httpGet: {path: /livez, port: https, scheme: HTTPS}
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /readyz, port: https, scheme: HTTPS}
  periodSeconds: 2
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- $certs := include "fluxhook.tlsSecret" . }}
{{- $clients := or .Values.clientCA.configMap .Values.clientCA.secret }}
{{- if or $certs $clients .Values.extraVolumeMounts }}
volumeMounts:
{{- if $certs }}
- name: certs
  mountPath: /certs
  readOnly: true
{{- end }}
{{- if $clients }}
- name: client-ca
  mountPath: /client-ca
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fluxhook.volumes" -}}
{{- $certs := include "fluxhook.tlsSecret" . }}
{{- $clients := or .Values.clientCA.configMap .Values.clientCA.secret }}
{{- if or $certs $clients .Values.extraVolumes }}
volumes:
{{- if $certs }}
- name: certs
  secret:
    secretName: {{ $certs | quote }}
    defaultMode: 0440
{{- end }}
{{- if .Values.clientCA.configMap }}
- name: client-ca
  configMap:
    name: {{ .Values.clientCA.configMap | quote }}
{{- else if .Values.clientCA.secret }}
- name: client-ca
  secret:
    secretName: {{ .Values.clientCA.secret | quote }}
    defaultMode: 0440
{{- end }}
{{- with .Values.extraVolumes }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}
{{- end -}}
