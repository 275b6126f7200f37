import type { Host, Json } from '../../../index.ts'
import type { Output } from '../../terminal/terminal-output.ts'

/**
 * Masks known secrets in everything that a command shows of a host (T35). Names, addresses and schemas of servers are kept as
 * they are in the host, because calls need them; a server may put a secret of its own into one.
 */
export function maskedOutput(output: Output, host: Pick<Host, 'redactName'>): Output {
  const mask = (text: string) => host.redactName(text)
  return {
    ...output,
    get notes() {
      return output.notes
    },
    result: (fields, draw) => output.result(maskFields(fields, host), (canvas) => mask(draw(canvas))),
    text: (draw) => output.text((canvas) => mask(draw(canvas))),
    note: (text) => output.note(mask(text)),
    show: (text) => output.show(mask(text)),
    warn: (text) => output.warn(mask(text)),
    error: (text) => output.error(mask(text)),
    fault: (text) => output.fault(mask(text)),
  }
}

/** The identical value if nothing of it is a secret, which one search tells. */
export function maskFields<T extends object>(fields: T, host: Pick<Host, 'redactName'>): T {
  const json = JSON.stringify(fields)
  if (json === undefined || host.redactName(json) === json) return fields
  return maskValue(JSON.parse(json) as Json, (text) => host.redactName(text)) as unknown as T // masking changes only texts
}

function maskValue(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => maskValue(item, mask))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
}
