import { saying, type Sayings } from '../frame/words/sayings.ts'
import { upload } from './words.ts'

/** What the API says of files and of what links lead to. */
export const uploadSayings: Sayings = {
  'form.tooLarge': saying(upload.errors.tooLarge, 'limit'),
  'form.emptyFile': upload.errors.empty,
  'recordings.emptyFile': upload.errors.link.empty,
}
