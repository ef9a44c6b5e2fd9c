import type { Address } from "@bowline/core";
import { chooseKubeconfig, type OwnCluster } from "@bowline/kube";
import { resolveSettings, type SettingReport, type SettingSources } from "@bowline/program";

import { operatorSettings, type OperatorValues } from "./settings.ts";

/** Everything the operator is told where it runs, and where each setting is from. */
export interface OperatorConfig
  extends Omit<OperatorValues, "kubeconfig" | "kubeContext">, SettingReport, OwnCluster {
  readonly healthListen: Address;
}

/** Reads flags, which are stronger, and variables. `InvalidArgument` names all that is wrong. */
export function loadOperatorConfig(sources: SettingSources): OperatorConfig {
  const { environment } = sources;
  const { values, ...report } = resolveSettings(operatorSettings, sources);
  const { kubeconfig: path, kubeContext, ...others } = values;
  const kubeconfig = chooseKubeconfig({ kubeconfig: path, context: kubeContext }, environment);
  const host = kubeconfig === undefined ? "0.0.0.0" : "127.0.0.1";
  return {
    ...others,
    ...report,
    kubeconfig,
    healthListen: values.healthListen ?? { host, port: 8082 },
    environment,
  };
}
