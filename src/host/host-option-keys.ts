import type { HostOptions } from './host-options.ts'

/**
 * Every option of `createHost`. `checked` ones are looked at when they are set; few hosts set one, so the check is loaded only
 * then, as for an option that is not in the table. Many set those with a type of JavaScript, so only another type is looked at;
 * our surfaces set `accept` to `person`, so only another word is.
 */
export const hostOptionKeys: Readonly<
  Record<keyof HostOptions, 'plain' | 'checked' | 'function' | 'number' | 'object' | 'person'>
> = {
  cwd: 'plain',
  preset: 'plain',
  sources: 'plain',
  config: 'plain',
  settings: 'plain',
  servers: 'checked',
  expand: 'checked',
  trust: 'checked',
  trustKeys: 'plain',
  lock: 'plain',
  projectFiles: 'plain',
  strictType: 'plain',
  lastGood: 'plain',
  platform: 'plain',
  answers: 'plain',
  lifecycle: 'checked',
  startupMs: 'number',
  credentials: 'plain',
  elicit: 'plain',
  relay: 'plain',
  sample: 'plain',
  roots: 'checked',
  apps: 'plain',
  limits: 'checked',
  idleMs: 'function',
  maxInFlight: 'function',
  offers: 'checked',
  channels: 'plain',
  wrapChannel: 'plain',
  audit: 'object',
  on: 'function',
  signal: 'object',
  native: 'checked',
  tools: 'checked',
  policy: 'checked',
  readOnly: 'checked',
  approve: 'plain',
  asks: 'checked',
  trifecta: 'checked',
  accept: 'person',
  labels: 'checked',
  scanResults: 'plain',
  resources: 'checked',
  parallel: 'checked',
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
    const value = options[key as keyof HostOptions] // a key that is not in the table has no type
    if (value === undefined) continue
    if (!Object.hasOwn(hostOptionKeys, key)) return true
    const kind = hostOptionKeys[key as keyof HostOptions] // it is in the table
    if (kind !== 'plain' && kind !== typeof value && kind !== value) return true
  }
  return false
}
