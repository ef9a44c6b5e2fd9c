import { Cluster, graphQuestions } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";

import { parametersOf, readAskSearch, type AskedQuestion } from "../../graph/ask-search.ts";
import { coverageLines, coverageNotes } from "../../graph/coverage.ts";
import { useGraphAnswer, type Answer } from "../../live/graph-question.ts";
import { useObjects } from "../../live/live-context.tsx";
import { RequestFailed } from "../../live/request.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { CoverageStrip } from "../../ui/coverage-strip.tsx";
import { AsOf } from "../../ui/data-states.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { saveText } from "../../ui/save-file.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { sectionsOf } from "./answer-sections.ts";
import { AnswerPicture } from "./answer-picture.tsx";
import { AnswerView } from "./answer-view.tsx";
import { KeepDialog } from "./keep-dialog.tsx";
import { KeptQuestions } from "./kept-questions.tsx";
import { isComplete, questionCards, type QuestionCard } from "./question-cards.ts";
import { QuestionForm } from "./question-form.tsx";

/** Questions about the objects of all clusters, as cards; the one that is asked is in the address. */
export function Ask(): ReactNode {
  const { q } = useSearch({ from: "/_in/ask" });
  const card = q === undefined ? undefined : questionCards.get(q);
  return (
    <>
      <PageHead title={card?.title ?? "Questions"}>
        {card !== undefined && <Link to="/ask">All questions</Link>}
      </PageHead>
      {card === undefined ? <Cards /> : <Asked key={card.name} card={card} />}
    </>
  );
}

function Cards(): ReactNode {
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      <ul className="grid gap-3 p-4 sm:grid-cols-2 xl:grid-cols-3" aria-label="Questions">
        {[...questionCards.values()].map(({ name, title, about }) => (
          <li key={name}>
            <Link
              to="/ask"
              search={{ q: name }}
              className="block h-full rounded-md border border-border p-3 text-text no-underline hover:bg-surface"
            >
              <span className="block font-semibold text-accent">{title}</span>
              <span className="text-muted">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
      <KeptQuestions />
    </div>
  );
}

function Asked({ card }: { card: QuestionCard }): ReactNode {
  const search = useSearch({ from: "/_in/ask" });
  const navigate = useNavigate();
  const { items } = useObjects(Cluster);
  const clusters = useMemo(
    () => [...items.values()].map(({ metadata }) => metadata.name).toSorted(),
    [items],
  );
  const given = useMemo(
    () => parametersOf(search, Object.keys(graphQuestions[card.name].filters.properties)),
    [search, card],
  );
  const ask = (parameters: Readonly<Record<string, string>>): void =>
    void navigate({ to: "/ask", search: readAskSearch({ ...parameters, q: card.name }) });
  const answer = isComplete(card, given) ? <AnswerPart card={card} given={given} /> : null;
  const { at, ...now } = given;
  return (
    <>
      <p className="px-4 pt-2 text-muted">{card.about}</p>
      <QuestionForm card={card} given={given} clusters={clusters} onAsk={ask} />
      {at === undefined ? (
        answer
      ) : (
        <AsOf atMs={Date.parse(at)} onNow={() => ask(now)}>
          {answer}
        </AsOf>
      )}
    </>
  );
}

interface AnswerPartProps {
  readonly card: QuestionCard;
  readonly given: Readonly<Record<string, string>>;
}

function AnswerPart({ card, given }: AnswerPartProps): ReactNode {
  const [isKeeping, setKeeping] = useState(false);
  const { data, error, refetch } = useGraphAnswer(card.name, given);
  if (error instanceof RequestFailed) {
    return <Failed failure={error.failure} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading what="the answer" />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-1">
        <Button
          look="link"
          onClick={() =>
            saveText(`${card.name}.json`, `${JSON.stringify(data, null, 2)}\n`, "application/json")
          }
        >
          Download as JSON
        </Button>
        <span>
          Link: <CopyButton text={location.href} what="the link to this question" />
        </span>
        {card.canBeWatched && given["at"] === undefined && (
          <Button look="link" onClick={() => setKeeping(true)}>
            Tell me when this changes
          </Button>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        <AnswerView sections={sectionsIn(card.name, data)} at={given["at"]} />
        <AnswerPicture name={card.name} data={data.data} at={given["at"]} />
      </div>
      <CoverageStrip notes={coverageNotes(data)} gaps={coverageLines(data.notObserved)} />
      {isKeeping && <KeepDialog card={card} parameters={given} onClose={() => setKeeping(false)} />}
    </>
  );
}

function sectionsIn<Name extends AskedQuestion>(name: Name, { data }: Answer<Name>) {
  return sectionsOf(name, data);
}
