{{- /* Generated from src by "npm run generate". Do not edit: change what it is made from and generate again. */ -}}
{{- define "macfleet.scraped" -}}
prometheus.io/path: /metrics
prometheus.io/port: "8080"
prometheus.io/scrape: "true"
{{- end }}
{{- define "macfleet.credentialsPath" -}}
/var/run/macfleet/scaleway
{{- end }}
{{- define "macfleet.addresses" -}}
- --metrics-bind-address=:8080
- --health-probe-bind-address=:8081
{{- end }}
{{- define "macfleet.managerEgress" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
- ports:
    - port: 443
      protocol: TCP
    - port: 6443
      protocol: TCP
- ports:
    - port: 22
      protocol: TCP
{{- end }}
{{- define "macfleet.runnersEgress" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
- ports:
    - port: 443
      protocol: TCP
    - port: 6443
      protocol: TCP
- ports:
    - port: 80
      protocol: TCP
{{- end }}
