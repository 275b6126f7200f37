/** Twelve secrets, one for each way in which a person hands one to us. Each has characters that URLs and JSON escape. */
export const canaries = {
  literal: canary('01'),
  header: canary('02'),
  query: canary('03'),
  command: canary('04'),
  accessToken: canary('05'),
  refreshToken: canary('06'),
  clientSecret: canary('07'),
  file: canary('08'),
  modelKey: canary('09'),
  envFile: canary('10'),
  input: canary('11'),
  database: canary('12'),
} as const

export type CanaryName = keyof typeof canaries

function canary(number: string): string {
  return `Cn4ry${number}/"k9+ZqTt7w${number}`
}

/** What a search looks for, by how the secret is written. */
export function formsOf(value: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(value)
  const after = (prefix: string) => Buffer.from(`${prefix}${value}`)
  const inJson = JSON.stringify(value).slice(1, -1)
  return {
    plain: value,
    'upper case': value.toUpperCase(),
    'lower case': value.toLowerCase(),
    base64: bytes.toString('base64').slice(0, -2),
    'base64 after a byte': after('a').toString('base64').slice(2, -2),
    'base64 after two bytes': after('ab').toString('base64').slice(3, -2),
    base64url: bytes.toString('base64url').slice(0, -2),
    hex: bytes.toString('hex'),
    'upper case hex': bytes.toString('hex').toUpperCase(),
    'in a URL': encodeURIComponent(value),
    'in JSON': inJson,
    'in JSON in JSON': JSON.stringify(inJson).slice(1, -1),
    'in HTML': value.replaceAll('"', '&quot;'),
    'a part of it': value.slice(7),
  }
}

/** Where a secret was found. */
export interface Hit {
  readonly place: string
  readonly canary: CanaryName
  readonly form: string
  /** What is around it, for the message of a test. */
  readonly near: string
}

const all = (Object.entries(canaries) as [CanaryName, string][]).flatMap(([name, value]) =>
  Object.entries(formsOf(value)).map(([form, text]) => ({ name, form, text })),
)

export function findCanaries(place: string, text: string): readonly Hit[] {
  return all.flatMap(({ name, form, text: searched }) => {
    const at = text.indexOf(searched)
    if (at === -1) return []
    return [{ place, canary: name, form, near: text.slice(Math.max(0, at - 60), at + 90) }]
  })
}
