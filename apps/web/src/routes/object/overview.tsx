import { healthFacts, judge } from "@bowline/health";
import { arrayOf, recordOf, textOf, type KubeObject } from "@bowline/kube/shapes";
import type { ReactNode } from "react";

import { podSpecOf } from "../../kube/pod-spec.ts";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { Containers } from "./containers.tsx";
import { InstanceWarning } from "./instance-warning.tsx";
import { OwnerChain } from "./owner-chain.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** What there is to know about an object before one reads all of it. */
export function Overview({ place, object }: ObjectTabProps): ReactNode {
  const nowMs = useNowMs();
  const { metadata } = object;
  const verdict = judge(healthFacts(object), new Date(nowMs));
  return (
    <div className="space-y-5 p-4">
      <InstanceWarning object={object} />
      <dl className="grid grid-cols-[8rem_1fr] gap-x-4 gap-y-1.5">
        <Fact name="Health">
          <span className="flex flex-wrap items-center gap-x-2">
            <HealthMark health={verdict.health} />
            <span className="text-muted">{cleanText(verdict.message)}</span>
          </span>
        </Fact>
        <Fact name="Kind">{cleanText(`${object.kind} · ${object.apiVersion}`, 300)}</Fact>
        {place.namespace !== undefined && <Fact name="Namespace">{cleanText(place.namespace, 63)}</Fact>}
        <Fact name="Age">
          <Age at={textOf(metadata.creationTimestamp)} />
        </Fact>
        {metadata.deletionTimestamp !== undefined && (
          <Fact name="Deletion">
            asked for <Age at={textOf(metadata.deletionTimestamp)} /> ago
            {arrayOf(metadata.finalizers).length === 0
              ? ""
              : `, waits for ${cleanText(arrayOf(metadata.finalizers).join(", "), 300)}`}
          </Fact>
        )}
        <Fact name="Owners">
          <OwnerChain place={place} object={object} />
        </Fact>
        <Fact name="Labels">
          <Pairs of={metadata.labels} />
        </Fact>
        <Fact name="Annotations">
          <details>
            <summary>{Object.keys(recordOf(metadata.annotations) ?? {}).length}</summary>
            <Pairs of={metadata.annotations} />
          </details>
        </Fact>
      </dl>
      {podSpecOf(object) !== undefined && <Containers object={object} />}
      <Conditions object={object} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Pairs({ of }: { of: unknown }): ReactNode {
  const pairs = Object.entries(recordOf(of) ?? {});
  if (pairs.length === 0) return "–";
  return (
    <ul className="flex flex-wrap gap-1">
      {pairs.map(([name, value]) => (
        <li key={name} className="rounded-sm bg-surface px-1.5 font-mono text-xs break-all">
          {cleanText(`${name}=${textOf(value) ?? ""}`, 400)}
        </li>
      ))}
    </ul>
  );
}

function Conditions({ object }: { object: KubeObject }): ReactNode {
  const conditions = arrayOf(recordOf(object["status"])?.["conditions"]).map(
    (value) => recordOf(value) ?? {},
  );
  if (conditions.length === 0) return null;
  return (
    <section>
      <h2 className="mb-1 text-lg">Conditions</h2>
      <table className="w-full text-left">
        <thead className="text-xs text-muted">
          <tr>
            {["Type", "Status", "Reason", "Message", "Since"].map((name) => (
              <th key={name} scope="col" className="py-1 pr-4 font-semibold">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {conditions.map((condition) => {
            const text = (name: string): string => cleanText(textOf(condition[name]) ?? "", 600);
            return (
              <tr key={text("type")} className="border-t border-border align-top">
                <td className="py-1 pr-4 font-semibold">{text("type")}</td>
                <td className="py-1 pr-4">{text("status")}</td>
                <td className="py-1 pr-4">{text("reason")}</td>
                <td className="py-1 pr-4 break-words">{text("message")}</td>
                <td className="py-1 whitespace-nowrap">
                  <Age at={textOf(condition["lastTransitionTime"])} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
