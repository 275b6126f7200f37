import { domainToUnicode } from 'node:url'

/** An address that a server wants a person to open, split so that the host can be emphasized. */
export interface Address {
  readonly before: string
  readonly host: string
  readonly after: string
  /** What makes the address suspicious. */
  readonly warnings: readonly string[]
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns the parts of the address, or the reason why it must not be opened. */
export function inspectAddress(text: string): Address | string {
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `is not a web page (${url.protocol})`
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) return 'is not encrypted (http)'
  if (url.username !== '' || url.password !== '') return 'contains a login before its host'
  const at = url.href.indexOf(url.host)
  return {
    before: url.href.slice(0, at),
    host: url.host,
    after: url.href.slice(at + url.host.length),
    warnings: warningsOf(url),
  }
}

function warningsOf(url: URL): readonly string[] {
  return [...unusualLetters(url), ...misleadingStart(url)]
}

/** Warns of `bank.com.evil.example`, which begins with the name of another site; `com.au` and the like are suffixes. */
function misleadingStart({ hostname }: URL): readonly string[] {
  const [, like, end] = /^(.+\.(?:com|net|org|gov|edu|io|dev|app))\.([^.]+\..+)$/.exec(hostname) ?? []
  if (like === undefined) return []
  return [`the name begins like ${like}, but the site is its end: ${end}.`]
}

function unusualLetters({ hostname }: URL): readonly string[] {
  const shown = domainToUnicode(hostname)
  if (/^[\x20-\x7E]*$/.test(shown) && !hostname.includes('xn--')) return []
  const mixed = shown.split('.').filter((label) => scriptsOf(label).length > 1)
  const looks = `the name looks like ${shown} and is really ${hostname}.`
  if (mixed.length === 0) return [looks]
  return [
    looks,
    `${mixed.join(', ')} mixes alphabets (${scriptsOf(mixed[0] ?? '').join(', ')}), as look-alikes do.`,
  ]
}

const scripts: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

function scriptsOf(label: string): readonly string[] {
  return scripts.filter(([, letters]) => letters.test(label)).map(([name]) => name)
}
