import type { Diagnostic, Place } from '../../model/diagnostic.ts'
import type { Server } from '../../model/server.ts'
import { isSecretName } from '../../sources/entries/secret-names.ts'
import type { Syntax, ValueRules } from '../../sources/entries/template.ts'
import { allSites, partsOf, valueSites } from './value-sites.ts'
import type { ValueSite } from './value-sites.ts'

const placeholder = /\$(?:\{(?:env:)?([A-Za-z_]\w*)[^{}]*\}|([A-Za-z_]\w*))|\$\{[^{}]*\}/

/**
 * Placeholders in a field or a form that the owner does not expand: the server receives them as written. In a credential
 * that is a warning, because the server will refuse it.
 */
export function unexpandedPlaceholders(
  server: Server,
  rules: ValueRules,
  locate: (site: ValueSite) => Place,
): readonly Diagnostic[] {
  if (rules.literalPlaceholders !== 'report') return []
  const expanded = new Set(valueSites(server, rules).map(({ field, key }) => `${field}/${key}`))
  return allSites(server).flatMap((site): readonly Diagnostic[] => {
    if (typeof site.value !== 'string' || !/\$\{?[A-Za-z_]/.test(site.value)) return []
    const isExpanded = expanded.has(`${site.field}/${site.key}`)
    if (isExpanded && partsOf(site, rules).some(({ kind }) => kind !== 'text')) return []
    const about = { code: 'no-expansion-in-client', server: server.name, origin: locate(site) } as const
    const [text = '', braced, bare] = placeholder.exec(site.value) ?? []
    if (!isCredential(site, server))
      return [
        {
          ...about,
          severity: 'info',
          message: 'The client does not expand this placeholder; the text stays as it is.',
        },
      ]
    const message = `The client does not expand ${text || 'this placeholder'}; the server gets this text as its credential.`
    return [
      { ...about, severity: 'warn', message, hint: formThatWorks(site, braced ?? bare, rules, isExpanded) },
    ]
  })
}

function isCredential({ field, key, value }: ValueSite, { transport }: Server): boolean {
  if (field === 'auth') return true
  if (field === 'env' || field === 'headers') return isSecretName(String(key))
  if (typeof value !== 'string') return false
  // `--api-key=${KEY}`, `?token=${TOKEN}`, `//user:${PASSWORD}@host`
  const [, name = ''] = /([\w.-]+)[=:]\s*(?:Bearer )?\$/i.exec(value) ?? []
  if (isSecretName(name) || /:\/\/[^/\s]*\$[^/\s]*@/.test(value)) return true
  const before = transport.kind === 'stdio' && field === 'args' ? transport.args[Number(key) - 1] : undefined
  return before !== undefined && before.startsWith('-') && isSecretName(before)
}

/** How each syntax writes a variable, the plainest first. */
const forms: readonly (readonly [Syntax, (name: string) => string])[] = [
  ['braces', (name) => `\${${name}}`],
  ['env-colon', (name) => `\${env:${name}}`],
  ['opencode', (name) => `{env:${name}}`],
  ['dollar-env', (name) => `$env:${name}`],
  ['alternatives', (name) => `\${env:${name}}`],
  ['bare', (name) => `$${name}`],
]

const literalOnly =
  'This client expands no variables here: write the value itself, and make the file readable only by you.'

function formThatWorks(
  site: ValueSite,
  name: string | undefined,
  rules: ValueRules,
  isExpanded: boolean,
): string {
  const own = name === undefined ? undefined : rules.variableKey?.(site, name)
  if (own !== undefined) return own
  const form = isExpanded ? forms.find(([syntax]) => rules.syntaxes.includes(syntax))?.[1] : undefined
  return form ? `Write ${form(name ?? 'NAME')}.` : literalOnly
}
