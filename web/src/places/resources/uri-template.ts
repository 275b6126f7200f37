/** A part of a template (RFC 6570): text, or variables with the sign that says how they are joined. */
type TemplatePart = string | { readonly sign: string; readonly names: readonly string[] }

const signs: Readonly<
  Record<
    string,
    { readonly first: string; readonly between: string; readonly isNamed?: true; readonly isPlain?: true }
  >
> = {
  '': { first: '', between: ',' },
  '+': { first: '', between: ',', isPlain: true },
  '#': { first: '#', between: ',', isPlain: true },
  '.': { first: '.', between: '.' },
  '/': { first: '/', between: '/' },
  ';': { first: ';', between: ';', isNamed: true },
  '?': { first: '?', between: '&', isNamed: true },
  '&': { first: '&', between: '&', isNamed: true },
}

function readTemplate(template: string): readonly TemplatePart[] {
  return template.split(/(\{[^{}]*\})/).map((part) => {
    const found = /^\{([+#./;?&]?)([^{}]+)\}$/.exec(part)
    if (!found) return part
    const [, sign = '', names = ''] = found
    return { sign, names: names.split(',').map((name) => name.trim().replace(/(?:\*|:\d+)$/, '')) }
  })
}

/** The variables of a template, each once. */
export function variablesOf(template: string): readonly string[] {
  return [...new Set(readTemplate(template).flatMap((part) => (typeof part === 'string' ? [] : part.names)))]
}

/** The address that a template has with these values; variables without a value are left out. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return readTemplate(template)
    .map((part) => {
      if (typeof part === 'string') return part
      const rule = signs[part.sign]
      const given = part.names.filter((name) => (values[name] ?? '') !== '')
      if (!rule || given.length === 0) return ''
      const shown = given.map((name) => {
        const value = values[name] ?? ''
        const encoded = rule.isPlain ? encodeURI(value) : encodeURIComponent(value)
        return rule.isNamed ? `${name}=${encoded}` : encoded
      })
      return rule.first + shown.join(rule.between)
    })
    .join('')
}
