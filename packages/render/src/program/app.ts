/** A value that `--set NAME=VALUE` gives: text, unless a type was said as in `--set replicas:integer=3`. */
export type ParameterValue = string | number | boolean;

/** What a program can know about the cluster that its objects go to. */
export interface ClusterFacts {
  readonly name: string;
  readonly region?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** @public What a program is called with. */
export interface AppInput {
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>;
  /**
   * Where objects are made for all clusters at once, these are references such as `${{ cluster.name }}`, which Bowline
   * fills in for each cluster: they can be put into any text, but not be decided by.
   */
  readonly cluster: ClusterFacts;
}

/** @public What every Kubernetes object has. The types of each kind are in the package `kubernetes-types`. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** The default export of an `app.ts`. The same input has to give the same objects, whenever and wherever it is asked. */
export type App = (input: AppInput) => readonly KubernetesObject[] | Promise<readonly KubernetesObject[]>;
