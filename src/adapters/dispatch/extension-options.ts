import type { Elicitation, ElicitationAnswer, HostOptions, JsonObject } from '../../index.ts'
import type { Capabilities } from './kernel-contracts.ts'

type Passed = Pick<
  HostOptions,
  | 'trust'
  | 'platform'
  | 'framing'
  | 'clientInfo'
  | 'policy'
  | 'readOnly'
  | 'approve'
  | 'limits'
  | 'maxModelBytes'
  | 'startupMs'
  | 'memory'
>

/** What a server asks comes from one directory, and this says from which. */
interface Asking {
  readonly signal: AbortSignal
  readonly cwd: string
}

/** Everything has the default of Dispatch's plan: the later phases are off. */
export interface McpExtOptions extends Passed {
  /** What the extension may do; `false` here or of the host itself is a denial. */
  readonly capabilities?: Pick<Capabilities, 'spawn' | 'network'>
  /** How long a turn waits for the servers that start in it; the others' tools come in the next one. 10 s by default. */
  readonly waitMs?: number
  /** Offers the servers' resources as one tool, `mcp`, with `list_resources` and `read_resource` (D21). */
  readonly resources?: 'tool'
  /** Offers the servers' prompts as skills (D21). */
  readonly prompts?: 'skills'
  /** Servers may ask for the roots, and are told the working directory of the conversation (D22). */
  readonly roots?: 'cwd'
  /** Lets servers ask a model (D22). */
  readonly sample?: (
    request: { readonly server: string; readonly params: JsonObject },
    asking: Asking,
  ) => Promise<JsonObject>
  /** Answers what servers ask people (D22). */
  readonly elicit?: (elicitation: Elicitation, asking: Asking) => Promise<ElicitationAnswer>
}
