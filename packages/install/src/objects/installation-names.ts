import {
  choose,
  concat,
  either,
  listOf,
  mergeOf,
  releaseName,
  releaseNamespace,
  releaseVersion,
  text,
  value,
  type Expression,
} from "../template/expression.ts";
import { merged, type Merged, type Template, type TemplateMap } from "../template/template.ts";

/** The port that servers listen on in their pods. */
export const serverPort = 7443;

/** Of the user in the image; any number but 0 would do. */
export const userId = 65_532;

/** Labels by which the pods of an installation are found. */
export const selectorLabels: TemplateMap = {
  "app.kubernetes.io/name": "bowline",
  "app.kubernetes.io/instance": releaseName,
};

/** Tells the Service that people use from the one of the StatefulSet: metrics are not to be read twice. */
export const mainServiceLabel: TemplateMap = { "app.kubernetes.io/component": "server" };

export const objectLabels: TemplateMap = {
  ...selectorLabels,
  "app.kubernetes.io/part-of": "bowline",
  "app.kubernetes.io/version": releaseVersion,
};

/** The metadata of an object; named as the installation is, unless it says otherwise. */
export function metadata(
  name: Template = releaseName,
  more: TemplateMap = {},
  labels: Merged = merged(objectLabels, value("labels")),
): TemplateMap {
  return { name, namespace: releaseNamespace, labels, ...more };
}

/** The labels of an object that has more of them. */
export function labelsWith(path: string): Merged {
  return merged(objectLabels, mergeOf(value("labels"), value(path)));
}

export const headlessName: Expression = text`${releaseName}-headless`;
export const certificateName: Expression = text`${releaseName}-tls`;

export const usesPostgres: Expression = value("database.postgres.existingSecret");
export const usesCertManager: Expression = value("tls.certManager.issuerRef.name");

const serviceHost = text`${releaseName}.${releaseNamespace}.svc`;

/** Where clients and agents reach the servers, if the values do not say. */
export const url: Expression = either(
  value("url"),
  choose(
    value("ingress.enabled"),
    text`https://${value("ingress.host")}`,
    choose(
      value("gateway.enabled"),
      text`https://${value("gateway.host")}`,
      text`https://${serviceHost}:${value("service.port")}`,
    ),
  ),
);

/** Every name that a certificate of the servers is for. */
export const certificateNames: Expression = concat(
  listOf(releaseName, text`${releaseName}.${releaseNamespace}`, serviceHost),
  choose(value("ingress.enabled"), listOf(value("ingress.host")), listOf()),
  choose(value("gateway.enabled"), listOf(value("gateway.host")), listOf()),
  value("tls.names"),
);
