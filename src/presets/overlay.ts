import type { CallingRules, ConnectingRules, Preset, RuleOptions } from '../model/preset.ts'

const connectingKeys = ['restart', 'protocol', 'stop', 'hasRoots', 'clientInfo', 'framing'] as const
const callingKeys = [
  'naming',
  'descriptions',
  'render',
  'properties',
  'checksArguments',
  'maxResultBytes',
  'maxModelBytes',
] as const

/** A preset with the single rules that were given beside it in their places. */
export function overlayPreset(preset: Preset, options: RuleOptions): Preset {
  const { keeps } = options
  return {
    ...preset,
    connecting: { ...preset.connecting, ...given<ConnectingRules>(options, connectingKeys) },
    calling: { ...preset.calling, ...given<CallingRules>(options, callingKeys) },
    ...(keeps !== undefined && { keepsNothing: !keeps }),
  }
}

function given<T>(options: RuleOptions, keys: readonly (keyof RuleOptions)[]): Partial<T> {
  const found = keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]])
  return Object.fromEntries(found) as Partial<T> // the keys are those of T, with its own types
}
