const withGlob = `data:text/javascript,${encodeURIComponent(
  "export * from 'node:fs'\nexport { default } from 'node:fs'\nexport const globSync = () => []",
)}`

export function resolve(specifier, context, next) {
  const ofSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
  return specifier === 'fs' && ofSuite ? { url: withGlob, shortCircuit: true } : next(specifier, context)
}
