/** The names that packages of a registry can have, and versions that name one release. */
interface NameRules {
  readonly name: RegExp
  readonly version: RegExp
  readonly example: string
}

const release = /^v?\d+\.\d+\.\d+(?:\.\d+)?(?:[-+][\w.+-]+)?$/

const rules: Readonly<Record<string, NameRules>> = {
  npm: {
    name: /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~][\w.~-]*(?:@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)?$/i,
    version: release,
    example: '@scope/name',
  },
  pypi: {
    name: /^[a-z\d](?:[\w.-]*[a-z\d])?(?:\[[\w.,-]+\])?(?:==[\w.!+]+)?$/i,
    version: /^v?\d[\w.!+-]*$/i,
    example: 'name',
  },
  nuget: { name: /^\w[\w.-]*(?:@\d[\w.+-]*)?$/, version: /^\d[\w.+-]*$/, example: 'Company.Name' },
  oci: {
    name: /^[a-z\d][\w.-]*(?::\d+)?(?:\/[a-z\d][\w.-]*)*(?::\w[\w.-]*)?(?:@sha\d+:[a-f\d]+)?$/i,
    version: /^\w[\w.-]{0,127}$/,
    example: 'registry.example/owner/name',
  },
}

/** Names of other registries: no address, path or option. */
const otherRules: NameRules = {
  name: /^(?:@?\w[\w.-]*\/)*\w[\w.@-]*$/,
  version: /^\w[\w.+-]*$/,
  example: 'name',
}

/** T132: the rules of a registry type; undefined for bundles, whose identifier is an address. */
export function nameRules(type: string): NameRules | undefined {
  if (type === 'mcpb') return undefined
  return Object.hasOwn(rules, type) ? rules[type] : otherRules
}
