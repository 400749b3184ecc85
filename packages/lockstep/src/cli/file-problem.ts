/** Failures of the file system in the words of a person: which path, and what about it. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it, or the folder that it is in, is not there',
  ENOTDIR: 'it is a file, or lies below one, and a folder is needed',
  EISDIR: 'it is a folder, and a file is needed',
  EEXIST: 'a file has that name already',
  ENOTEMPTY: 'the folder is not empty',
  EACCES: 'you may not',
  EPERM: 'you may not',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
  EXDEV: 'it is on another disk',
  EMFILE: 'too many files are open',
}

/** `undefined`: the failure is about something else. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string }
  const reason = REASONS[code ?? '']
  if (reason === undefined || path === undefined || syscall === undefined) return undefined
  return `${dest ?? path} cannot be used (${syscall}): ${reason}`
}
