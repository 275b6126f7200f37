import { literalInArgument, literalsWithin } from '../../sources/entries/literal-secrets.ts'

/** The secrets written in an address: a password, or parameters with the name of a secret, as written and decoded. */
export function secretsInAddress(url: string): readonly string[] {
  return literalsWithin(url)
    .filter(({ kind }) => kind === 'secret')
    .flatMap(({ start, end }) => bothForms(url.slice(start, end)))
}

/** The secrets written in the arguments of a program: `--token=…`, or the word after `--token`. */
export function secretsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const found = literalInArgument(arg, args[at - 1])
    return found?.kind === 'secret' ? bothForms(arg.slice(found.start, found.end)) : []
  })
}

function bothForms(text: string): readonly string[] {
  if (!text.includes('%')) return [text]
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}
