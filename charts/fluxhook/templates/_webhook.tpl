{{/* What both webhooks have in common: when they are called, and what follows when they don't answer. */}}
{{- define "fluxhook.webhook" -}}
failurePolicy: {{ .Values.webhook.failurePolicy }}
sideEffects: None
timeoutSeconds: {{ .Values.webhook.timeoutSeconds }}
matchPolicy: Equivalent
rules:
- apiGroups: [jobset.x-k8s.io]
  apiVersions: [v1alpha2]
  resources: [jobsets]
  operations: [CREATE, UPDATE]
  scope: Namespaced
objectSelector:
  matchExpressions:
  - key: {{ .Values.webhook.label | quote }}
    operator: In
    values: ["true", enabled]
  {{- with include "fluxhook.requirements" .Values.webhook.objectSelector }}
  {{- . | nindent 2 }}
  {{- end }}
namespaceSelector:
  matchExpressions:
  - key: kubernetes.io/metadata.name
    operator: NotIn
    values:
      {{- append .Values.webhook.excludeNamespaces .Release.Namespace | uniq | toYaml | nindent 6 }}
  {{- with include "fluxhook.requirements" .Values.webhook.namespaceSelector }}
  {{- . | nindent 2 }}
  {{- end }}
matchConditions:
{{- /* Removing a finalizer must always be possible. */}}
- name: not-being-deleted
  expression: "!has(object.metadata.deletionTimestamp)"
{{- with .Values.webhook.matchConditions }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end -}}

{{/* More of a selector, after its matchExpressions. */}}
{{- define "fluxhook.requirements" -}}
{{- with .matchExpressions -}}
{{- toYaml . }}
{{ end -}}
{{- with .matchLabels -}}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}
