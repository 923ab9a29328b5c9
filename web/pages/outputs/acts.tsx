import type { ReactNode } from "react";
import { ONLY_A_LOOK } from "../../act/act-dialog.tsx";
import { Confirm } from "../../act/confirm.tsx";
import { call } from "../../api/client.ts";
import { quoted } from "../../words.ts";

export const RetryBlock = ({ block, onClose }: { block: string; onClose: () => void }): ReactNode => (
  <Confirm
    title="Try a block again"
    verb="Retry"
    about="Its next step is tried now instead of later; a request that is held for it goes on."
    asked={block}
    foretell={async () => {
      const { blocks, released, message } = await call("blocks.retry", { block, dry_run: true });
      return { message, lines: blocks, nothing: blocks.length === 0 && !released ? message : null };
    }}
    act={(reason) => call("blocks.retry", { block, reason })}
    cli={(reason) => `wms2 blocks retry ${quoted(block)} --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);

export const Withdraw = ({ name, onClose }: { name: string; onClose: () => void }): ReactNode => (
  <Confirm
    title={`Withdraw the outputs of ${name}`}
    verb="Withdraw"
    about="Its rules are deleted and its files are invalidated in the catalog. This cannot be undone."
    asked={name}
    foretell={async () => {
      const { blocks, already, message } = await call("blocks.withdraw", { name, reason: ONLY_A_LOOK, dry_run: true });
      return { message, lines: blocks, nothing: already || blocks.length === 0 ? message : null };
    }}
    act={(reason) => call("blocks.withdraw", { name, reason })}
    cli={(reason) => `wms2 blocks withdraw ${quoted(name)} --reason ${quoted(reason)}`}
    onClose={onClose}
  />
);
