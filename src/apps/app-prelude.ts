/**
 * The beginning of the document of an app, before everything of the server. No policy of today's browsers forbids peer connections,
 * which reach any address, so the script takes them out of the realm of the app. Frames that the app makes of its own text are realms
 * of their own: the policy demands trusted types, so each such text passes the script, which puts itself before it. The doctype of the
 * document itself is ignored then, and nothing else changes.
 */
export function appPrelude({ isGuarded }: { readonly isGuarded: boolean }): string {
  const parts = [`(${removePeerConnections.toString()})()`]
  if (isGuarded) parts.push(`(${guardFrames.toString()})(${JSON.stringify(emptyText)})`)
  return `<!doctype html><script>${parts.join(';').replaceAll('</', '<\\/')}</script>`
}

/**
 * Of two attributes with one name the first counts. The second name takes a value that may follow, as in `<iframe ="text">`. Without
 * quotes, because the tag may be in a string of a script.
 */
const emptyText = ' srcdoc data-empty '

/** HTML whose frames have no text of their own: those are read by the parser, before any script sees them. */
export function withEmptyFrames(html: string): string {
  return html.replaceAll(/<iframe(?=[\s/>])/giu, `$&${emptyText}`)
}

/** The parts of a browser that the scripts use: they are compiled here, and run there. */
declare const document: { readonly currentScript: { readonly outerHTML: string } }
interface TrustedTypes {
  createPolicy(
    name: 'default',
    rules: Readonly<Record<string, (text: string, type: string, sink: string) => string | null>>,
  ): void
}

function removePeerConnections(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection'])
    Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false })
}

/** Runs before any code of the app, and keeps what it needs: the app can replace every function that is looked up later. */
function guardFrames(emptyText: string): void {
  const realm = globalThis as unknown as Readonly<Record<string, { readonly prototype: object }>> & {
    readonly trustedTypes?: TrustedTypes
  } // a browser's
  const { apply } = Reflect
  const ownText = String
  const native = (owner: object, name: string, kind: 'value' | 'set' = 'value') => {
    const found = Object.getOwnPropertyDescriptor(owner, name)?.[kind] as (...args: unknown[]) => never // of the browser
    return (self: unknown, ...args: readonly unknown[]) => apply(found, self, args)
  }
  const slice: (text: string, from: number, to: number) => string = native(String.prototype, 'slice')
  const indexOf: (text: string, part: string) => number = native(String.prototype, 'indexOf')
  const hide = (owner: object, name: string, property: PropertyDescriptor) =>
    Object.defineProperty(owner, name, { ...property, configurable: false })
  const own = document.currentScript.outerHTML
  const isFrame = (text: string, at: number) => {
    const before = text[at - 1]
    if (before !== '<' && before !== ':') return false // a prefix stands before the name in XML
    for (let index = 0; index < 6; index++) {
      const letter = text[at + index]
      if (letter !== 'iframe'[index] && letter !== 'IFRAME'[index]) return false
    }
    const after = text[at + 6]
    return after === undefined || after <= ' ' || after === '/' || after === '>'
  }
  /** Markup whose frames have no text of their own. As XML it is not well-formed then. */
  const withEmptyFrames = (text: string) => {
    let shown = ''
    let done = 0
    for (let at = 1; at < text.length; at++) {
      if (!isFrame(text, at)) continue
      shown += slice(text, done, at + 6) + emptyText
      done = at + 6
    }
    return shown + slice(text, done, text.length)
  }
  realm.trustedTypes?.createPolicy('default', {
    createHTML(text, _, sink) {
      if (sink === 'HTMLIFrameElement srcdoc') return own + text
      // Pieces of a tag are no tag yet; an entity of XML has a text that is read later.
      if (sink === 'Document write' || sink === 'Document writeln') return null
      return indexOf(text, '<!ENTITY') === -1 ? withEmptyFrames(text) : null
    },
    createScript: (text, _, sink) => (sink === 'Location href' ? null : text),
    createScriptURL: (text) => text,
  })
  // With the policy in its hands an app would say which sink a text is for. Libraries do without it where it is not there.
  const factory = realm['TrustedTypePolicyFactory']
  if (factory) hide(factory.prototype, 'defaultPolicy', { value: null })
  hide(globalThis, 'trustedTypes', { value: undefined })
  // Frames that a transformation or an answer parsed as a document makes were no text of the app before.
  hide(globalThis, 'XSLTProcessor', { value: undefined })
  const request = realm['XMLHttpRequest']?.prototype
  if (!request) return
  const type = Object.getOwnPropertyDescriptor(request, 'responseType')
  const setType = native(request, 'responseType', 'set')
  hide(request, 'responseXML', { get: () => null })
  hide(request, 'responseType', {
    ...type,
    set(this: unknown, value: unknown) {
      const kind = ownText(value) // once: what the browser gets is what was looked at
      if (kind !== 'document') setType(this, kind)
    },
  })
}
