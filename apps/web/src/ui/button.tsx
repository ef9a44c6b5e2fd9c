import { useId, type ButtonHTMLAttributes, type ReactNode } from "react";

import { offProps, WhyOff } from "./why-off.tsx";

/** How much a button stands out: the one thing to do, one of several, one that cannot be undone, or as text. */
type ButtonLook = "main" | "plain" | "danger" | "link";

const looks: Readonly<Record<ButtonLook, string>> = {
  main: "rounded-sm bg-accent px-3 py-1 font-semibold text-on-accent",
  plain: "rounded-sm border border-control px-3 py-1 hover:bg-surface",
  danger: "rounded-sm border border-degraded px-3 py-1 text-degraded hover:bg-surface",
  link: "min-h-6 text-accent underline",
};

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className" | "type"> {
  readonly look?: ButtonLook;
  readonly submits?: boolean;
  /** Why it is switched off. It keeps its place among what keys can reach, so that the reason can be read. */
  readonly off?: string | undefined;
  readonly children: ReactNode;
}

export function Button({ look = "plain", submits = false, off, children, ...rest }: ButtonProps): ReactNode {
  const id = useId();
  const className = `${looks[look]} disabled:cursor-not-allowed disabled:opacity-60`;
  if (off !== undefined) {
    const { onClick: _onClick, ...others } = rest;
    return (
      <span className="relative inline-block">
        <button
          {...others}
          {...offProps(id, off)}
          type="button"
          className={`peer ${className} cursor-not-allowed opacity-60`}
        >
          {children}
        </button>
        <WhyOff id={id} reason={off} />
      </span>
    );
  }
  return (
    <button {...rest} type={submits ? "submit" : "button"} className={className}>
      {children}
    </button>
  );
}
