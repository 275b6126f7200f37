import type { Server } from '../model/server.ts'
import type { HostContext } from './host.ts'

/** How long a server may take to get ready. */
export function startupMsOf(
  { timeouts }: Pick<Server, 'timeouts'>,
  { options, preset, limits }: Pick<HostContext, 'options' | 'preset' | 'limits'>,
): number {
  // 0 takes the limit off calls; a start always has one.
  const ofCalls = preset.connecting.callTimeCoversStart ? timeouts.callMs || undefined : undefined
  return options.startupMs ?? timeouts.startupMs ?? ofCalls ?? limits.startupMs
}
