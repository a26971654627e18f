{{- define "recalld.name" -}}
{{ printf "%s" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "recalld.labels" -}}
app.kubernetes.io/name: recalld
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "recalld.selector" -}}
app.kubernetes.io/name: recalld
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "recalld.secret" -}}
{{ required "existingSecret: name the secret that holds database-url (and redis-url)" .Values.existingSecret }}
{{- end }}

{{- define "recalld.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "recalld.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "recalld.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "recalld.environment" -}}
- {name: RECALLD_DATA_DIR, value: /data}
- {name: RECALLD_LISTEN, value: "0.0.0.0:50051"}
- {name: RECALLD_DATABASE_URL_FILE, value: /run/secrets/recalld/database-url}
{{- if .Values.redis }}
- {name: RECALLD_REDIS_URL_FILE, value: /run/secrets/recalld/redis-url}
{{- end }}
{{- if .Values.migrationDatabase }}
- {name: RECALLD_MIGRATION_DATABASE_URL_FILE, value: /run/secrets/recalld/migration-database-url}
{{- end }}
{{- if .Values.replicaDatabase }}
- {name: RECALLD_REPLICA_DATABASE_URL_FILE, value: /run/secrets/recalld/replica-database-url}
{{- end }}
{{- if .Values.embeddingApiKey }}
- {name: RECALLD_EMBEDDING_API_KEY_FILE, value: /run/secrets/recalld/embedding-api-key}
{{- end }}
{{- with .Values.archive }}
{{- if and .existingClaim .url }}
{{- fail "archive.existingClaim and archive.url are two places: set one of them" }}
{{- end }}
{{- if .existingClaim }}
- {name: RECALLD_ARCHIVE_DIR, value: /archive}
{{- end }}
{{- if .url }}
- {name: RECALLD_ARCHIVE_URL, value: {{ .url | quote }}}
- {name: RECALLD_ARCHIVE_S3_REGION, value: {{ .region | quote }}}
{{- with .endpoint }}
- {name: RECALLD_ARCHIVE_S3_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- if .keys }}
- {name: RECALLD_ARCHIVE_S3_ACCESS_KEY_FILE, value: /run/secrets/recalld/archive-s3-access-key}
- {name: RECALLD_ARCHIVE_S3_SECRET_KEY_FILE, value: /run/secrets/recalld/archive-s3-secret-key}
{{- end }}
{{- end }}
{{- end }}
- {name: RECALLD_LOG_FORMAT, value: json}
- {name: RECALLD_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }}}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{- define "recalld.mounts" -}}
- {name: secrets, mountPath: /run/secrets/recalld, readOnly: true}
- {name: data, mountPath: /data}
{{- if .Values.archive.existingClaim }}
- {name: archive, mountPath: /archive}
{{- end }}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "recalld.volumes" -}}
- name: secrets
  secret: {secretName: {{ include "recalld.secret" . }}, defaultMode: 0440}
- {name: data, emptyDir: {}}
{{- with .Values.archive.existingClaim }}
- {name: archive, persistentVolumeClaim: {claimName: {{ . | quote }}}}
{{- end }}
- {name: tmp, emptyDir: {}}
{{- end }}
