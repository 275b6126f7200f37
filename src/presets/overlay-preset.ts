import { namingSchemes } from '../model/preset.ts'
import type { CallingRules, ConnectingRules, Preset, RuleOptions } from '../model/preset.ts'
import { loadPreset } from './load-preset.ts'

const connectingKeys = ['restart', 'protocol', 'stop', 'hasRoots', 'clientInfo', 'framing'] as const
const callingKeys = [
  'descriptions',
  'properties',
  'checksArguments',
  'maxResultBytes',
  'maxModelBytes',
] as const

/** The preset with the rules given in the options in place of its own. */
export async function overlayPreset(preset: Preset, options: RuleOptions): Promise<Preset> {
  const { keeps, naming, render } = options
  return {
    ...preset,
    connecting: { ...preset.connecting, ...pickGiven<ConnectingRules>(options, connectingKeys) },
    calling: {
      ...preset.calling,
      ...pickGiven<CallingRules>(options, callingKeys),
      ...(naming !== undefined && { naming: namingSchemes[naming] }),
      ...(render !== undefined && { render: (await loadPreset(render)).calling.render }),
    },
    ...(keeps !== undefined && { keepsNothing: !keeps }),
  }
}

function pickGiven<T>(options: RuleOptions, keys: readonly (keyof RuleOptions)[]): Partial<T> {
  const found = keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]])
  return Object.fromEntries(found) as Partial<T> // the keys are those of T, with its own types
}
