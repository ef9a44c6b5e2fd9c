import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useId, type FormEvent, type ReactNode } from "react";

import { clusterPath } from "../../kube/places.ts";
import {
  findPrometheus,
  parseService,
  printService,
  rangePath,
  readRange,
  type PrometheusService,
} from "../../kube/prometheus.ts";
import { failureIn } from "../../live/answers.ts";
import { useNowMs } from "../../live/now.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { metricsSearch, rangeAt, ranges, steps, type MetricsSearch } from "./chart-range.ts";
import { ChartTable } from "./chart-table.tsx";

/** With the library that draws: only who asks something needs it. */
const LineChart = lazy(async () => ({ default: (await import("./line-chart.tsx")).LineChart }));

const examples = [
  "sum by (namespace) (rate(container_cpu_usage_seconds_total[5m]))",
  "sum by (namespace) (container_memory_working_set_bytes)",
  "count by (job) (up == 0)",
];

/** Any question of PromQL, to a Prometheus inside of the cluster, over time. */
export function Charts({ cluster }: { cluster: string }): ReactNode {
  const search = useSearch({ from: "/_in/c/$cluster/metrics" });
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: ["prometheus", cluster],
    queryFn: async ({ signal }) =>
      findPrometheus(await request<unknown>(clusterPath(cluster, "/api/v1/services?limit=500"), { signal })),
    staleTime: 60_000,
  });
  const chosen = search.service === undefined ? found.data?.[0] : parseService(search.service);
  const set = (changed: AskedFor): void =>
    void navigate({
      to: "/c/$cluster/metrics",
      params: { cluster },
      search: (before) => metricsSearch({ ...before, ...changed }),
      replace: true,
    });
  const failure = failureIn(found.error);
  return (
    <section aria-label="Charts" className="space-y-2">
      <h2 className="text-lg">Charts</h2>
      {failure !== undefined && search.service === undefined && <Failed failure={failure} />}
      {found.isPending && search.service === undefined && <Loading what="the services of the cluster" />}
      {(found.data !== undefined || search.service !== undefined) && (
        <QuestionForm
          key={`${search.query} ${search.service}`}
          search={search}
          services={found.data ?? []}
          onAsk={set}
        />
      )}
      {search.service !== undefined && chosen === undefined && (
        <p role="alert" className="text-degraded">
          A Prometheus is named as namespace/service:port, such as monitoring/prometheus:9090.
        </p>
      )}
      {found.data?.length === 0 && search.service === undefined && (
        <Empty>
          No Service looks like a Prometheus. If there is one, name it above; charts of any PromQL would be
          here.
        </Empty>
      )}
      {chosen !== undefined && search.query !== undefined && (
        <Answer cluster={cluster} service={chosen} search={{ ...search, query: search.query }} />
      )}
    </section>
  );
}

/** What a part of the form changes; undefined takes it out of the address. */
type AskedFor = { readonly [Key in keyof MetricsSearch]: MetricsSearch[Key] | undefined };

interface QuestionFormProps {
  readonly search: MetricsSearch;
  readonly services: readonly PrometheusService[];
  readonly onAsk: (changed: AskedFor) => void;
}

function QuestionForm({ search, services, onAsk }: QuestionFormProps): ReactNode {
  const id = useId();
  const first = services[0];
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    onAsk({ query: text("query"), service: text("service") });
  };
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
      <label className="min-w-48 flex-1">
        <span className="block text-xs text-muted">PromQL</span>
        <input
          name="query"
          required
          defaultValue={search.query ?? ""}
          list={`${id}-examples`}
          spellCheck={false}
          autoComplete="off"
          className="w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
        />
      </label>
      <datalist id={`${id}-examples`}>
        {examples.map((example) => (
          <option key={example}>{example}</option>
        ))}
      </datalist>
      <label>
        <span className="block text-xs text-muted">Prometheus</span>
        <input
          name="service"
          required
          defaultValue={search.service ?? (first === undefined ? "" : printService(first))}
          list={`${id}-services`}
          placeholder="namespace/service:port"
          spellCheck={false}
          autoComplete="off"
          className="w-64 max-w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
        />
      </label>
      <datalist id={`${id}-services`}>
        {services.map(printService).map((service) => (
          <option key={service}>{cleanText(service, 200)}</option>
        ))}
      </datalist>
      <Choice
        label="Range"
        value={search.range ?? "1h"}
        options={Object.keys(ranges)}
        onChange={(range) => onAsk(metricsSearch({ range }))}
      />
      <Choice
        label="Step"
        value={search.step ?? ""}
        options={["", ...Object.keys(steps)]}
        onChange={(step) => onAsk({ step: metricsSearch({ step }).step })}
      />
      <Button submits look="main">
        Ask
      </Button>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps): ReactNode {
  return (
    <label>
      <span className="block text-xs text-muted">{label}</span>
      <select
        value={value}
        className="rounded-sm border border-control bg-bg px-1 py-1"
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option === "" ? "auto" : option}
          </option>
        ))}
      </select>
    </label>
  );
}

interface AnswerProps {
  readonly cluster: string;
  readonly service: PrometheusService;
  readonly search: MetricsSearch & { readonly query: string };
}

const againMs = 30_000;

function Answer({ cluster, service, search }: AnswerProps): ReactNode {
  const { query, range = "1h", step } = search;
  const turn = Math.floor(useNowMs() / againMs);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["range", cluster, printService(service), query, range, step, turn],
    queryFn: async ({ signal }) => {
      const asked = { query, ...rangeAt(Date.now(), range, step) };
      return readRange(await request<unknown>(rangePath(cluster, service, asked), { signal }), asked);
    },
    placeholderData: keepPreviousData,
    gcTime: againMs,
  });
  const failure = failureIn(error);
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the answer of Prometheus" />;
  if (data.series.length === 0)
    return <Empty>The question has no answer in this range: nothing matches.</Empty>;
  return (
    <div aria-busy={isFetching}>
      {data.warnings.map((warning) => (
        <p key={warning} className="text-missing">
          {cleanText(warning, 300)}
        </p>
      ))}
      <Suspense fallback={<Loading what="the chart" />}>
        <LineChart chart={data} />
      </Suspense>
      {data.seriesCount > data.series.length && (
        <p className="text-muted">
          {data.series.length} of {data.seriesCount} lines are drawn; ask for fewer, for example with topk(10,
          …).
        </p>
      )}
      <ChartTable chart={data} />
    </div>
  );
}
