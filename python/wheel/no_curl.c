/* SPDX-License-Identifier: Apache-2.0 */
/* Debian's HDF5 can read from S3, and for that alone needs libcurl and some 25 libraries behind it, among them two for
 * TLS. orthodict reads local files: its wheel brings this libcurl, in which every call fails, instead of all those. */
#include <stddef.h>

enum { kFailed = 2 }; /* CURLE_FAILED_INIT */

int curl_global_init(long flags) { return (void)flags, kFailed; }
void curl_global_cleanup(void) {}
void* curl_easy_init(void) { return NULL; }
int curl_easy_setopt(void* handle, int option, ...) { return (void)handle, (void)option, kFailed; }
int curl_easy_perform(void* handle) { return (void)handle, kFailed; }
void curl_easy_cleanup(void* handle) { (void)handle; }
void* curl_slist_append(void* list, const char* text) { return (void)list, (void)text, NULL; }
void curl_slist_free_all(void* list) { (void)list; }
