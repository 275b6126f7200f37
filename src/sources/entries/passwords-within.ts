/** A part of a text. */
export interface Part {
  readonly name: string
  readonly value: string
  readonly start: number
}

const inUserInfo = /^[a-z][a-z\d+.-]{0,32}:(?:[a-z]{1,16}:)?\/\/[^/?#\s@:]{0,256}:([^/?#\s]+)@/di
const isAddress = /^(?:[a-z][a-z\d+.-]*:\/\/|jdbc:)/i
const inParameter = /[?&;](?:password|pwd)=([^&;\s]+)/dgi
const inPairs = /(?:^|;)\s*(?:password|pwd|AccountKey|SharedAccessKey)\s*=\s*([^;]+)/dgi
/** `host=… user=… password=…`, as libpq takes it. */
const inWords = /(?:^|\s)password=(\S+)/dg

/** The passwords of a url, of a `Key=Value;` connection string or of one that libpq takes. */
export function passwordsWithin(text: string): readonly Part[] {
  if (isAddress.test(text)) return partsOf([inUserInfo.exec(text), ...text.matchAll(inParameter)])
  if (/^[\w ]{1,64}=[^;]{0,1024};/.test(text)) return partsOf([...text.matchAll(inPairs)])
  if (!/^\w{1,64}=/.test(text) || !/(?:^|\s)(?:host|dbname|user)=\S/.test(text)) return []
  return partsOf([...text.matchAll(inWords)])
}

function partsOf(matches: readonly (RegExpExecArray | null)[]): readonly Part[] {
  return matches.flatMap((match) => {
    const [start] = match?.indices?.[1] ?? []
    return match && start !== undefined ? [{ name: 'password', value: match[1] ?? '', start }] : []
  })
}

const parameter = /[?&]([^=&#\s]{1,256})=([^&#\s]+)/dg

/** The parameters in the query of a url. */
export function parametersWithin(text: string): readonly Part[] {
  if (!text.includes('://')) return []
  return [...text.matchAll(parameter)].map((match) => ({
    name: match[1] ?? '',
    value: match[2] ?? '',
    start: match.indices?.[2]?.[0] ?? 0,
  }))
}
