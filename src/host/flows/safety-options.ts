import type { Settings } from '../../config/settings.ts'
import type { HostContext } from '../host-context.ts'
import type { HostOptions } from '../host-options.ts'

/**
 * What the options and the settings say about the flow of information and about acceptances. The three presets watch no
 * flow, as the systems that they stand for.
 */
export function safetyOf(
  { trifecta, labels, accept = 'off', preset }: HostOptions,
  settings: Settings,
): Pick<HostContext, 'flow' | 'accept' | 'ignoredFindings'> {
  const isOurs = (preset ?? settings.preset ?? 'default') === 'default'
  const overrides = labels ?? settings.labels
  return {
    flow: {
      trifecta: trifecta ?? (isOurs ? (settings.trifecta ?? 'warn') : 'off'),
      ...(overrides && { labels: overrides }),
    },
    accept,
    ignoredFindings: settings.scan?.ignore ?? [],
  }
}
