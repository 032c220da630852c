{{/* Refuses values that each are right and together can't work; values.schema.json judges them one by one. */}}
{{- define "fluxhook.check" -}}
{{- include "fluxhook.check.names" . -}}
{{- include "fluxhook.check.tls" . -}}
{{- include "fluxhook.check.controller" . -}}
{{- include "fluxhook.check.pods" . -}}
{{- include "fluxhook.check.metrics" . -}}
{{- include "fluxhook.check.args" . -}}
{{- end -}}

{{- define "fluxhook.check.names" -}}
{{- $name := include "fluxhook.fullname" . -}}
{{- if eq (list $name "jobset" | sortAlpha | first) "jobset" -}}
{{- fail (printf "the name %s sorts after jobset: webhooks are called in the order of their names, and this one must be called before JobSet's and Kueue's; set fullnameOverride" $name) -}}
{{- end -}}
{{- $tests := include "fluxhook.testNamespace" . -}}
{{- if has $tests (append .Values.webhook.excludeNamespaces .Release.Namespace) -}}
{{- fail (printf "tests.namespace is %s, where no JobSet is looked at: set another one, or tests.enabled=false" $tests) -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.check.tls" -}}
{{- if and .Values.certManager.enabled .Values.tls.secretName -}}
{{- fail "certManager.enabled and tls.secretName exclude each other: the certificate has one source" -}}
{{- end -}}
{{- if and .Values.tls.caBundle (ne (include "fluxhook.tls" .) "secret") -}}
{{- fail "tls.caBundle needs tls.secretName: otherwise cert-manager or the server itself fills in the caBundle" -}}
{{- end -}}
{{- if and .Values.certManager.issuerRef (not .Values.certManager.enabled) -}}
{{- fail "certManager.issuerRef needs certManager.enabled=true" -}}
{{- end -}}
{{- if and .Values.clientCA.configMap .Values.clientCA.secret -}}
{{- fail "clientCA.configMap and clientCA.secret exclude each other" -}}
{{- end -}}
{{- if and .Values.clientCA.names (not (or .Values.clientCA.configMap .Values.clientCA.secret)) -}}
{{- fail "clientCA.names needs clientCA.configMap or clientCA.secret" -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.check.controller" -}}
{{- with .Values.controller -}}
{{- if and .curveKeySecret .curveDerivation -}}
{{- fail "controller.curveKeySecret and controller.curveDerivation exclude each other" -}}
{{- end -}}
{{- if and (not .enabled) (or .curveKeySecret .curveDerivation) -}}
{{- fail "controller.curveKeySecret and controller.curveDerivation need controller.enabled=true" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.check.pods" -}}
{{- $drain := include "fluxhook.seconds" .Values.server.drainTimeout | int -}}
{{- if le (int .Values.terminationGracePeriodSeconds) $drain -}}
{{- fail (printf "terminationGracePeriodSeconds (%d) must be longer than server.drainTimeout (%s): pods would be killed while they drain" (int .Values.terminationGracePeriodSeconds) .Values.server.drainTimeout) -}}
{{- end -}}
{{- if and (eq .Values.strategy.type "Recreate") .Values.strategy.rollingUpdate -}}
{{- fail "strategy.rollingUpdate needs strategy.type=RollingUpdate: set it to null for Recreate" -}}
{{- end -}}
{{- with .Values.podDisruptionBudget -}}
{{- if and (ne (toString .minAvailable) "") (ne (toString .maxUnavailable) "") -}}
{{- fail "podDisruptionBudget.minAvailable and podDisruptionBudget.maxUnavailable exclude each other" -}}
{{- end -}}
{{- if and .enabled (regexMatch "^[0-9]+$" (toString .minAvailable)) (ge (int .minAvailable) (include "fluxhook.replicas" $ | int)) (gt (include "fluxhook.replicas" $ | int) 1) -}}
{{- fail (printf "podDisruptionBudget.minAvailable (%v) must be less than the number of pods (%s): no node could be drained" .minAvailable (include "fluxhook.replicas" $)) -}}
{{- end -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}{{- include "fluxhook.check.autoscaling" . -}}{{- end -}}
{{- end -}}

{{- define "fluxhook.check.autoscaling" -}}
{{- $requests := (.Values.resources | default dict).requests | default dict -}}
{{- with .Values.autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas (%d) must not be more than autoscaling.maxReplicas (%d)" (int .minReplicas) (int .maxReplicas)) -}}
{{- end -}}
{{- if not (or .targetCPUUtilizationPercentage .targetMemoryUtilizationPercentage) -}}
{{- fail "autoscaling needs targetCPUUtilizationPercentage or targetMemoryUtilizationPercentage" -}}
{{- end -}}
{{- if and .targetCPUUtilizationPercentage (not $requests.cpu) -}}
{{- fail "autoscaling.targetCPUUtilizationPercentage needs resources.requests.cpu: it is in percent of it" -}}
{{- end -}}
{{- if and .targetMemoryUtilizationPercentage (not $requests.memory) -}}
{{- fail "autoscaling.targetMemoryUtilizationPercentage needs resources.requests.memory: it is in percent of it" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.check.metrics" -}}
{{- with .Values.metrics -}}
{{- if and (not .enabled) (or .serviceMonitor.enabled .prometheusRule.enabled) -}}
{{- fail "metrics.serviceMonitor and metrics.prometheusRule need metrics.enabled=true" -}}
{{- end -}}
{{- if and .enabled (eq (int .port) (int $.Values.server.port)) -}}
{{- fail (printf "metrics.port and server.port are both %d" (int .port)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fluxhook.check.args" -}}
{{- $own := list -}}
{{- range splitList "\n" (include "fluxhook.ownArgs" .) -}}
{{- $own = append $own (splitList "=" . | first) -}}
{{- end -}}
{{- range .Values.extraArgs -}}
{{- if has (splitList "=" . | first) $own -}}
{{- fail (printf "extraArgs repeats %s, which the chart sets from its own values" (splitList "=" . | first)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
