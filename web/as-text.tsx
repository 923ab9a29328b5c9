import type { ReactNode } from "react";
import { httpCall, type Input, type OperationName } from "./api/client.ts";
import { Command } from "./ui/copy-button.tsx";
import { Popover } from "./ui/popover.tsx";
import { quoted } from "./words.ts";

interface AsTextProps<N extends OperationName> {
  /** The command that shows the same. */
  readonly cli: string;
  readonly operation: N;
  readonly input: Input<N>;
}

/** The same facts for a terminal, a script and a program: whatever a page shows, the API gives. */
export function AsText<N extends OperationName>({ cli, operation, input }: AsTextProps<N>): ReactNode {
  const { url } = httpCall(operation, input);
  return (
    <Popover button="CLI · curl · JSON" label="The same as CLI, curl and JSON">
      <div className="commands">
        <span className="label">In a terminal</span>
        <Command text={cli} />
        <span className="label">For scripts</span>
        <Command text={`curl -s ${quoted(url.href)}`} />
        <a href={url.href} target="_blank" rel="noreferrer">
          The JSON behind this page
        </a>
      </div>
    </Popover>
  );
}
