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

export type PassedOptions = Pick<
  HostOptions,
  | 'trust'
  | 'platform'
  | 'framing'
  | 'clientInfo'
  | 'accept'
  | 'policy'
  | 'readOnly'
  | 'approve'
  | 'limits'
  | 'maxModelBytes'
  | 'startupMs'
  | 'memory'
>

/** The working directory of the requesting server, and a signal that aborts when the server no longer waits. */
export interface RequestContext {
  readonly signal: AbortSignal
  readonly cwd: string
}

/** The defaults are those of Dispatch's plan: the features of its later phases are off. */
export interface McpExtOptions extends PassedOptions {
  /** What the extension may do; `false` here or in the host's own capabilities denies it. */
  readonly capabilities?: Pick<Capabilities, 'spawn' | 'network'>
  /** How long a turn waits for servers to start, 10 s by default. The tools of slower servers come in the next turn. */
  readonly waitMs?: number
  /** Offers the servers' resources as one tool, `mcp`, with `list_resources` and `read_resource` (D21). */
  readonly resources?: 'tool'
  /** Offers the servers' prompts as skills (D21). */
  readonly prompts?: 'skills'
  /** Lets servers request the roots: the working directory of the conversation (D22). */
  readonly roots?: 'cwd'
  /** Lets servers sample from a model (D22). */
  readonly sample?: (
    request: { readonly server: string; readonly params: JsonObject },
    context: RequestContext,
  ) => Promise<JsonObject>
  /** Answers the questions servers ask the person (D22). */
  readonly elicit?: (elicitation: Elicitation, context: RequestContext) => Promise<ElicitationAnswer>
}

interface HostContext {
  readonly cwd: string
  /** The capabilities Dispatch grants. */
  readonly granted: Capabilities
  readonly native: readonly NativeTool[]
}

/** The options of the host that serves one working directory. */
export function hostOptionsOf(options: McpExtOptions, { cwd, granted, native }: HostContext): HostOptions {
  const {
    capabilities = {},
    waitMs: _,
    accept = 'person',
    resources,
    prompts,
    roots,
    sample,
    elicit,
    ...passed
  } = options
  return {
    ...passed,
    // Without an option the settings decide; without a setting the preset, which is off.
    accept,
    preset: 'dispatch',
    cwd,
    native,
    platform: { ...passed.platform, ...denialsOf([granted, capabilities]) },
    ...(resources && { resources: 'tools' }),
    ...(!resources && !prompts && { offers: 'tools' }),
    ...(roots && { hasRoots: true }),
    ...(sample && { sample: (request, { signal }) => sample(request, { signal, cwd }) }),
    ...(elicit && { elicit: (question, { signal }) => elicit(question, { signal, cwd }) }),
  }
}

/** D25: a denied capability fails on use, so the failure appears in the status of the server that needs it. */
function denialsOf(capabilities: readonly Capabilities[]): Partial<Platform> {
  return {
    ...(capabilities.some(({ spawn }) => spawn === false) && {
      spawn: () => throwDenied('spawn', 'start programs'),
    }),
    ...(capabilities.some(({ network }) => network === false) && {
      http: () => throwDenied('network', 'use the network'),
    }),
  }
}

async function throwDenied(capability: string, what: string): Promise<never> {
  throw new HostError('config.invalid', {}, `Dispatch does not let the mcp extension ${what}.`, {
    hint: `Grant it the capability "${capability}".`,
  })
}
