import type { ButtonHTMLAttributes, ReactNode } from "react";

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
  readonly children: ReactNode;
}

export function Button({ look = "plain", submits = false, children, ...rest }: ButtonProps): ReactNode {
  const className = `${looks[look]} disabled:cursor-not-allowed disabled:opacity-60`;
  return (
    <button {...rest} type={submits ? "submit" : "button"} className={className}>
      {children}
    </button>
  );
}
