import type { StartedPackage } from '../model/launch/started-package.ts'

/** An argument that is to name an exact version. */
export interface PinnedArgument {
  readonly from: string
  readonly to: string
}

/** The argument that names exactly this version of a package or image, in place of the one as written. */
export function pinArgument(
  args: readonly string[],
  found: StartedPackage,
  version: string,
): PinnedArgument | undefined {
  const { spec, name, runner, isImage, index } = found
  const from = args[index]
  if (from === undefined || !from.endsWith(spec) || !canBePinned(found)) return undefined
  const option = from.slice(0, from.length - spec.length)
  const isPython = !isImage && /^(?:uv|pipx)/.test(runner)
  const [, extras = ''] = isPython ? (/^[\w.-]+(\[[^\]]*\])/.exec(spec) ?? []) : []
  // `uvx` itself takes `name@version`; its options, and pipx, take requirements as pip does.
  const isRequirement = isPython && (runner === 'pipx run' || option !== '' || args[index - 1] === '--from')
  return { from, to: `${option}${name}${extras}${isRequirement ? '==' : '@'}${version}` }
}

/** A package from a registry, or an image: a folder, an address or a repository has no version to name. */
function canBePinned({ spec, isImage }: StartedPackage): boolean {
  if (isImage) return !/[${]/.test(spec)
  return /^(?:@[\w.-]+\/)?[\w.-]+(?:\[[^\]]*\])?(?:(?:@|[=<>~!^ ])[^/]*)?$/.test(spec)
}
