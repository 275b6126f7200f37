import type { HostOptions, NativeTool, Platform } from '../../index.ts'
import { HostError } from '../../model/error.ts'
import type { Capabilities } from './kernel-contracts.ts'
import type { McpExtOptions } from './extension-options.ts'

interface Around {
  readonly cwd: string
  /** What Dispatch grants. */
  readonly granted: Capabilities
  readonly native: readonly NativeTool[]
}

/** The options of the one host that stands for a working directory. */
export function hostOptionsOf(options: McpExtOptions, { cwd, granted, native }: Around): HostOptions {
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
