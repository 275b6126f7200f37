import type { HostOptions } from './host-options.ts'

/**
 * Every option of `createHost`. `checked` ones are looked at when they are set; few hosts set one, so the check is loaded only
 * then, as for an option that is not in the table.
 */
export const hostOptionKeys: Readonly<Record<keyof HostOptions, 'plain' | 'checked'>> = {
  cwd: 'plain',
  preset: 'plain',
  sources: 'plain',
  config: 'plain',
  settings: 'plain',
  servers: 'checked',
  expand: 'checked',
  trust: 'plain',
  trustKeys: 'plain',
  projectFiles: 'plain',
  strictType: 'plain',
  lastGood: 'plain',
  platform: 'plain',
  answers: 'plain',
  lifecycle: 'plain',
  startupMs: 'plain',
  credentials: 'plain',
  elicit: 'plain',
  sample: 'plain',
  roots: 'checked',
  limits: 'plain',
  offers: 'checked',
  channels: 'plain',
  wrapChannel: 'plain',
  on: 'plain',
  signal: 'plain',
  native: 'checked',
  tools: 'checked',
  policy: 'checked',
  readOnly: 'checked',
  approve: 'plain',
  resources: 'checked',
  parallel: 'plain',
  memory: 'plain',
  naming: 'checked',
  render: 'checked',
  descriptions: 'checked',
  properties: 'checked',
  checksArguments: 'plain',
  maxResultBytes: 'plain',
  maxModelBytes: 'plain',
  keeps: 'plain',
  protocol: 'plain',
  framing: 'plain',
  clientInfo: 'plain',
  restart: 'plain',
  stop: 'plain',
  hasRoots: 'plain',
}

export function needsCheck(options: HostOptions): boolean {
  for (const key in options) {
    if (options[key as keyof HostOptions] === undefined) continue // a key that is not in the table has no type
    if (!Object.hasOwn(hostOptionKeys, key) || hostOptionKeys[key as keyof HostOptions] === 'checked')
      return true
  }
  return false
}
