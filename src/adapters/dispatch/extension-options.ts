import type {
  Elicitation,
  ElicitationAnswer,
  HostOptions,
  JsonObject,
  NativeTool,
  Platform,
} from '../../index.ts'
import { HostError } from '../../model/error.ts'
import type { Capabilities } from './kernel-contracts.ts'

type PassedOptions = Pick<
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

/** The working directory whose server asks, and when it no longer waits. */
interface RequestContext {
  readonly signal: AbortSignal
  readonly cwd: string
}

/** Everything has the default of Dispatch's plan: the later phases are off. */
export interface McpExtOptions extends PassedOptions {
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
    context: RequestContext,
  ) => Promise<JsonObject>
  /** Answers what servers ask people (D22). */
  readonly elicit?: (elicitation: Elicitation, context: RequestContext) => Promise<ElicitationAnswer>
}

interface HostContext {
  readonly cwd: string
  /** What Dispatch grants. */
  readonly granted: Capabilities
  readonly native: readonly NativeTool[]
}

/** The options of the one host that stands for a working directory. */
export function hostOptionsOf(options: McpExtOptions, { cwd, granted, native }: HostContext): HostOptions {
  const { capabilities = {}, waitMs: _, resources, prompts: __, roots, sample, elicit, ...passed } = options
  return {
    ...passed,
    preset: 'dispatch',
    cwd,
    native,
    platform: { ...passed.platform, ...denialsOf([granted, capabilities]) },
    ...(resources && { resources: 'tools' }),
    ...(roots && { hasRoots: true }),
    ...(sample && { sample: (request, { signal }) => sample(request, { signal, cwd }) }),
    ...(elicit && { elicit: (question, { signal }) => elicit(question, { signal, cwd }) }),
  }
}

/** D25: what is denied fails where it is tried, and so becomes the status of the one server that needs it. */
function denialsOf(said: readonly Capabilities[]): Partial<Platform> {
  return {
    ...(said.some(({ spawn }) => spawn === false) && { spawn: () => denied('spawn', 'start programs') }),
    ...(said.some(({ network }) => network === false) && {
      http: () => denied('network', 'use the network'),
    }),
  }
}

async function denied(capability: string, what: string): Promise<never> {
  throw new HostError('config.invalid', {}, `Dispatch does not let the mcp extension ${what}.`, {
    hint: `Grant it the capability "${capability}".`,
  })
}
