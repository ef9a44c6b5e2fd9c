import { releaseName, releaseNamespace, releaseVersion, value } from "../template/expression.ts";
import { url, usesPostgres } from "../objects/installation-names.ts";

const name = `{{ ${releaseName.helm} }}`;
const namespace = `{{ ${releaseNamespace.helm} }}`;

/** Shown when the chart has been installed. */
export const chartNotes = `Bowline {{ ${releaseVersion.helm} }} will be reached at {{ ${url.helm} }}.

Wait until it is ready:

  kubectl -n ${namespace} rollout status {{ if ${usesPostgres.helm} }}deployment{{ else }}statefulset{{ end }}/${name}
{{ if not ${value("adminToken.existingSecret").helm} }}
The first server prints the token of the admin once, at its first start, with the command to log in:

  kubectl -n ${namespace} logs -l app.kubernetes.io/name=bowline,app.kubernetes.io/instance=${name} --tail=-1 | grep -A 12 "first start"

Make yourself another token, and delete that one: whoever reads logs has seen it.
{{- else }}
Log in with the token in the Secret {{ ${value("adminToken.existingSecret").helm} }}.
{{- end }}
{{ if and (eq ${value("service.type").helm} "ClusterIP") (not ${value("ingress.enabled").helm}) (not ${value("gateway.enabled").helm}) }}
Only pods of this cluster reach it. To look at it from here:

  kubectl -n ${namespace} port-forward service/${name} 7443:{{ ${value("service.port").helm} }}
{{ end -}}
`;
