import { parseLabelSelector, type LabelSelector, type WorkloadInstance } from "@bowline/api";

/** What somebody has filled in to deploy manifests. */
export interface WorkloadForm {
  readonly name: string;
  readonly namespace: string;
  readonly placement: "clusters" | "selector";
  readonly clusters: readonly string[];
  readonly selector: string;
  readonly manifests: string;
}

type Placement = WorkloadInstance["spec"]["placement"];

/** What is written: a definition that holds the manifests, and an instance of the same name that says where. */
export interface WorkloadBodies {
  readonly definition: {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly source: { readonly inline: { readonly manifests: string } } };
  };
  readonly instance: {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly definition: string;
      readonly namespace?: string;
      readonly placement: Placement;
    };
  };
}

/** What is missing in a form, as a sentence; undefined when the server can be asked. */
export function formProblem({
  name,
  manifests,
  placement,
  clusters,
  selector,
}: WorkloadForm): string | undefined {
  if (name.trim() === "") return "Give it a name.";
  if (manifests.trim() === "") return "Paste some manifests.";
  if (placement === "clusters" && clusters.length === 0) return "Choose a cluster.";
  if (placement === "clusters") return undefined;
  if (selector.trim() === "") return "An empty selector would mean every cluster there is.";
  try {
    parseLabelSelector(selector);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "The selector cannot be read.";
  }
}

export function workloadBodies(form: WorkloadForm): WorkloadBodies {
  const metadata = { name: form.name.trim() };
  const namespace = form.namespace.trim();
  return {
    definition: { metadata, spec: { source: { inline: { manifests: form.manifests } } } },
    instance: {
      metadata,
      spec: {
        definition: metadata.name,
        ...(namespace === "" ? {} : { namespace }),
        placement:
          form.placement === "clusters"
            ? { clusters: [...form.clusters] }
            : { selector: selectorOf(form.selector) },
      },
    },
  };
}

const operators = { in: "In", notIn: "NotIn", exists: "Exists", absent: "DoesNotExist" } as const;

function selectorOf(text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelector["matchExpressions"] = [];
  for (const requirement of parseLabelSelector(text)) {
    const { key, operator } = requirement;
    const values = "values" in requirement ? [...requirement.values] : undefined;
    const [only, ...others] = values ?? [];
    // As a label it stays readable.
    if (operator === "in" && only !== undefined && others.length === 0 && !Object.hasOwn(matchLabels, key)) {
      matchLabels[key] = only;
    } else {
      matchExpressions.push({
        key,
        operator: operators[operator],
        ...(values === undefined ? {} : { values }),
      });
    }
  }
  return { matchLabels, matchExpressions };
}
