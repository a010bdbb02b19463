# SPDX-License-Identifier: Apache-2.0
# make                the module, the worker, the command line (without nvcc, or with NVCC=: all the same, without a
#                     GPU; NVARCH: cards)
# make deps           installs the Debian packages that are missing; test and demo do it themselves (demo: without the
#                     tests' own)
# make deps-all       those, too, without which tests are skipped: a browser, Prometheus, redis, Dask, rpmbuild,
#                     lintian, buildah
# make test           everything that can be tested here: C tests (plain, ASan and UBSan), t/*.t, races under TSan
# make check          for the inner loop, under a minute: C tests, t/cases, the command line, documents; no HTTP, no
#                     sanitizers
# make demo           a private httpd with the example site at 127.0.0.1:8470, until Ctrl-C; DEMO_ARGS='--address A
#                     --port N': elsewhere
# make bench          gpuxslt beside libxslt, Xalan-C and Saxon-HE, the scanner beside other parsers, those that are
#                     installed: docs/bench/; what is slower than before
# make fuzz           libFuzzer, FUZZ_TIME seconds (60) each target of fuzz/ under ASan and UBSan; needs clang
# make test-sanitized httpd with the module under ASan, UBSan and LSan, then under TSan: t/7*-http*.t, some 15 minutes;
#                     TESTED chooses
# make fuzz-carry     build/fuzz-carry: the fuzz targets (FUZZ=scan: that one) with their seeds, fit to be carried to
#                     another machine
# make sweep          every word of every case's program, document and result changed, under ASan and UBSan: more
#                     than an hour on two cores; SWEEP: those whose path has it
# bench/each.py       many small documents: gpuxslt --each, xsltproc in a loop, what disk and cores allow
# bench/filter.py     the figures of the profiles' paper: gpuxml-match beside one shared automaton, libxml2 and Saxon:
#                     docs/bench/
# bench/store.py      the document store beside BaseX, xmllint and gpuxslt: loading, size, queries: docs/bench/
# make papers         the figures of the papers that the engine descends from, measured here: docs/papers/; PAPERS_ARGS
# make papers-gpu     the same on a machine with a GPU; bench/carry.sh --papers makes an archive for a bare one
# make bench-http     httpd with each of our engines, plain files and nginx's XSLT filter under wrk: docs/bench/;
#                     BENCH_ARGS
# make test-differential  random expressions and stylesheets: one thread, four, xsltproc; COUNT (10000), SEED;
#                     WRITE=build/gpu-random keeps them for test-gpu instead
# make cliffs         which expressions' time grows with the square of the document (bench/cliffs.tsv), by one thread
#                     and by two; CLIFFS_ARGS
# make test-slips     stylesheets of t/cases with random slips: what xsltproc takes is taken, with the same bytes; COUNT
#                     (3000), SEED, SLIPS="--with FOLDER" for more stylesheets
# make test-store     the document store: power cuts at POINTS (10000) random places, SEED
# make test-gpu       on a machine with a GPU: t/cases on block, grid and lane teams beside solo; make bench-gpu times
#                     them: docs/bench/
# make kernels-report registers, stack, spills and code of the GPU's kernels; fails when an inner loop spills
# make carry          build/carry: what a bare machine with a GPU needs for test-gpu, bench-gpu and bench-http
#                     (bench/carry.sh)
# make install        DESTDIR and PREFIX are honoured; make uninstall takes it away again
# make deb            build/*.deb: Debian packages of the module with its worker, and of the command line
# make dist, make rpm  build/gpuxml-VERSION.tar.gz, and Fedora's packages of it
# make clean, make help
B       = build
PREFIX  = /usr/local
APXS   := $(firstword $(shell command -v apxs apxs2 2>/dev/null) apxs)
MODDIR  = $(shell $(APXS) -q LIBEXECDIR)
LIBEXEC = $(PREFIX)/lib/gpuxml
MANDIR  = $(PREFIX)/share/man
# the second: that of the last build, which sudo make install does not find in its PATH
NVCC   := $(firstword $(wildcard $(shell command -v nvcc 2>/dev/null) \
    $(filter %/nvcc,$(shell cat $B/flags 2>/dev/null)) /usr/local/cuda/bin/nvcc))
CU     := $(if $(NVCC),$(wildcard kernels/*.cu))

# -ffp-contract=off here and -fmad=false for nvcc: XPath's numbers must be the same bits on both sides
# and a packager's flags (dpkg-buildflags, rpmbuild), from the environment or the command line, join ours
# (warnings are errors in .ci/run, by WERROR: a compiler newer than this must not keep anyone from building)
CFLAGS ?= -O2 -g -Wall -Wextra
# What reads strangers' bytes is hardened whoever builds it: as hardening=+all of dpkg-buildflags. FORTIFY wants an
# optimising compiler, and is a packager's where he has his own. Sanitizers do without.
MACHINE   := $(shell $(CC) -dumpmachine 2>/dev/null)
FORTIFY   := $(if $(SAN)$(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,\
    $(if $(filter-out -O0 -Og,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN    := $(if $(SAN),,-fstack-protector-strong -fstack-clash-protection \
    $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection) \
    $(if $(filter aarch64-%,$(MACHINE)),-mbranch-protection=standard))
HARDEN_LD := $(if $(SAN),,-Wl,-z,relro,-z,now,-z,noexecstack)
PIE       := $(if $(SAN),,-pie)
override CFLAGS += -std=gnu11 -ffp-contract=off -fPIC -fvisibility=hidden -pthread -MD -MP $(HARDEN) \
    $(or $(SAN),$(WERROR))
override CPPFLAGS := -I. -Iengine -Iqueue \
    $(patsubst -I%,-isystem %,$(patsubst -D_GNU_SOURCE,-D_GNU_SOURCE=, \
        $(shell apr-1-config --cppflags --includes 2>/dev/null))) \
    -DGPUXML_LIBEXEC='"$(LIBEXEC)"' $(FORTIFY) $(CPPFLAGS)
override LDFLAGS := $(SAN) -pthread $(HARDEN_LD) $(LDFLAGS)
HTTPD  := $(addprefix -isystem ,$(shell $(APXS) -q INCLUDEDIR 2>/dev/null))
LDLIBS := -lexpat -lpcre2-8 -lz $(shell apr-1-config --link-ld --libs 2>/dev/null)
# as the last build had it, too: else make NVARCH=75, then make install, would build for others
NVARCH := $(or $(if $(CU),$(shell sed -n 's/.* sm_//p' $B/flags 2>/dev/null)),80 90)
NVOPT   = -O3 -std=c++17 -fmad=false -I. -Iengine -Iqueue
# The machine's kernels are compiled function by function, where ptxas knows how: as one call graph each takes 200 s of
# CPU time for a card instead of 11 to 17, and runs no faster (docs/bench/kernels-2026-11-27.md). Calls follow the ABI
# then, so a thread's stack is the device's limit (STACK_BYTES, kernels/gpu.cu; make kernels-report adds it up), and
# registers are held at the 128 that ptxas takes otherwise.
PTXAS   = $(firstword $(wildcard $(dir $(NVCC))ptxas) $(shell command -v ptxas))
BY_FUNCTION := $(if $(CU),$(if $(shell $(PTXAS) --help 2>/dev/null | grep -o Ofast-compile),-maxrregcount=128 \
    -Xptxas -Ofc=min -Xptxas -suppress-stack-size-warning))
MACHINES = block grid lane
NVCODE  = $(foreach a,$(NVARCH),-gencode arch=compute_$a$(COMMA)code=sm_$a)
NVFLAGS = $(NVOPT) $(if $(WERROR),-Werror all-warnings) $(addprefix -Xcompiler ,-fPIC $(HARDEN) $(FORTIFY)) \
          -cudart static -MMD -MP $(NVUNITS) $(NVCODE) \
          -gencode arch=compute_$(lastword $(NVARCH))$(COMMA)code=compute_$(lastword $(NVARCH))
# nvcc knows -Xcompiler and -Xlinker only, whose commas separate: -Wl,-z,now becomes -Xlinker -z,now
NVLINK  = $(NVCC) -cudart static $(addprefix -Xcompiler ,$(PIE) $(filter-out -Wl%,$(LDFLAGS))) \
          $(patsubst -Wl$(COMMA)%,-Xlinker %,$(filter -Wl%,$(LDFLAGS)))
COMMA   = ,

obj   = $(patsubst %,$B/%.o,$(basename $1))
LIB   = $(call obj,$(wildcard engine/*.c engine/*/*.c queue/*.c))
WORK  = $(call obj,$(wildcard worker/*.c) $(CU))
GPU   = $(if $(CU),$B/gx-gpu-check $B/gx-bytes-check $B/gx-page-check $B/gx-match-check)
TOOLS = $(patsubst tools/%.c,$B/%,$(wildcard tools/*.c))
TESTS = $(patsubst %.c,$B/%,$(wildcard t/*.c))
MOD   = $(call obj,$(wildcard mod_gpuxml.c module/*.c))
SITE  = $(if $(wildcard mod_gpuxml.c),$B/mod_gpuxml.so)

all: $(SITE) $(if $(wildcard worker/*.c),$B/gpuxml-worker) $(TOOLS) $(GPU)
tests: $(TESTS) $(if $(SAN),,$B/refuse.so $(if $(shell command -v $(CXX) 2>/dev/null),$B/fake/gpuxml-worker \
    $B/fake/each-call $B/fake/gx-page-check $B/fake/gx-match-check))

# what the objects were built with: another NVCC, NVARCH or SAN builds them anew; first of all, whether there is a
# compiler, and what it needs
FLAGS   = $(CC) $(SAN) $(HARDEN) $(FORTIFY) $(HARDEN_LD) $(NVCC) $(LIBEXEC)$(if $(CU), $(BY_FUNCTION) sm_$(NVARCH))
HEADERS = apr.h expat.h pcre2.h zlib.h $(if $(SITE),httpd.h)
$B/flags: override CPPFLAGS += $(HTTPD)
$B/flags: FORCE $(filter clean,$(firstword $(MAKECMDGOALS)))
	@mkdir -p $B; echo '$(FLAGS)' | cmp -s - $@ || \
	    { printf '#include <%s>\n' $(HEADERS) | $(CC) $(CPPFLAGS) -DPCRE2_CODE_UNIT_WIDTH=8 -E -o /dev/null - && \
	      echo '$(FLAGS)' >$@; } || \
	    { echo 'make: something that building needs is missing here. Debian and Ubuntu: make deps installs it;' \
	      'elsewhere: README.md names it' >&2; exit 1; }
$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(MACHINES:%=$B/kernels/%.o): NVUNITS = $(BY_FUNCTION)
$B/%.o: %.cu $B/flags
	@mkdir -p $(@D)
	$(NVCC) $(NVFLAGS) -c -o $@ $<
$B/module/status_page.o: module/status.xsl
$(MOD): override CPPFLAGS += $(HTTPD)
$B/worker/%.o: override CPPFLAGS += $(if $(CU),-DGX_CUDA)
$B/libgpuxml.a: $(LIB)
	@rm -f $@
	ar rcs $@ $^
$B/mod_gpuxml.so: $(MOD) $B/libgpuxml.a
	$(CC) -shared $(LDFLAGS) -o $@ $^ -lexpat -lpcre2-8 -lz -lm
# nvcc itself links what has kernels: only it knows where its runtime is (a wrapper, a distribution's package, an
# unpacked toolkit)
$B/gpuxml-worker: $(WORK) $B/libgpuxml.a
	$(if $(CU),$(NVLINK),$(CC) $(PIE) $(LDFLAGS)) -o $@ $^ $(LDLIBS) -lm
$B/gx-gpu-check: $B/kernels/check.o $(call obj,$(CU)) $B/libgpuxml.a
	$(NVLINK) -o $@ $^ $(LDLIBS) -lm
$B/gx-page-check: $B/kernels/page_check.o $(call obj,$(CU)) $B/libgpuxml.a
	$(NVLINK) -o $@ $^ $(LDLIBS) -lm
$B/gx-match-check: $B/kernels/match_check.o $B/kernels/match.o $B/kernels/match_block.o $B/libgpuxml.a
	$(NVLINK) -o $@ $^ $(LDLIBS) -lm
$B/tools/gx-bytes-check.o: NVOPT += $(shell apr-1-config --includes 2>/dev/null)
$B/gx-bytes-check: $B/tools/gx-bytes-check.o $B/kernels/bytes_block.o $B/kernels/bytes_grid.o $B/libgpuxml.a
	$(NVLINK) -o $@ $^ $(LDLIBS) -lm
$B/tools/gx-sort-bench/main.o: NVOPT := $(filter-out -fmad=false,$(NVOPT)) -Itools/gx-sort-bench
# measures, and takes a minute to compile: not among GPU
$B/gx-sort-bench: $(call obj,$(if $(CU),$(wildcard tools/gx-sort-bench/*.cu)))
	$(NVLINK) -o $@ $^
$B/gpuxslt: $(call obj,$(wildcard tools/gpuxslt/*.c))
$B/gpuxml-store: $(call obj,tools/gpuxslt/kit.c $(wildcard tools/gpuxml-store/*.c))
$B/gpuxml-match: $(call obj,$(foreach f,kit input remote,tools/gpuxslt/$f.c) $(wildcard tools/gpuxml-match/*.c))
$(TOOLS): $B/%: $B/tools/%.o $B/libgpuxml.a
	$(CC) $(PIE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lm
$B/t/%: $B/t/%.o $B/libgpuxml.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka -lm
# what makes the operating system refuse: t/06-cli-faults.t, t/79-http-faults.t
$B/refuse.so: t/faults/refuse.c $B/flags
	$(CC) $(CFLAGS) -fvisibility=default -shared -o $@ $< -ldl
# what ThreadSanitizer does not see of httpd: make test-sanitized
$B/unseen.so: t/httpd/unseen.c $B/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) -fvisibility=default -shared -o $@ $<
# the queue as it is, but for calls before each access to memory (as for ThreadSanitizer) and in place of the system's:
# t/60-queue-schedules.c
WATCHED = $(patsubst %,$B/watched/%.o,life memory process program queue serve slot sweep)
$B/watched/%.o: queue/%.c $B/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -U_FORTIFY_SOURCE -fno-sanitize=all -fsanitize=thread -fno-builtin-memcmp \
	    $(foreach f,clock_gettime getpid kill memcmp memcpy syscall,-D$f=watched_$f) -c -o $@ $<
$B/t/60-queue-schedules: $B/t/60-queue-schedules.o $(WATCHED) $B/libgpuxml.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka -lm
# the GPU's host side and the worker with a device that is none (t/gpu): t/63-gpu-host.t
FAKE = $(CXX) -U_GNU_SOURCE $(CPPFLAGS) -O2 -g -std=c++17 -Wall -It/gpu $(SAN) -pthread -MMD -MP -x c++ -c -o $@ $<
$B/fake/%.o: t/gpu/%.cc $B/flags
	@mkdir -p $(@D)
	$(FAKE)
$B/fake/host.o: kernels/gpu.cu $B/flags
	@mkdir -p $(@D)
	$(FAKE)
$B/fake/match.o: kernels/match.cu $B/flags
	@mkdir -p $(@D)
	$(FAKE)
$B/fake/worker-%.o: worker/%.c $B/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DGX_CUDA -DSTUCK_US=2000000u -DLONGEST_US=1000000u -DOUT_BYTES=100000u $(CFLAGS) -c -o $@ $<
$B/fake/gpuxml-worker: $(patsubst worker/%.c,$B/fake/worker-%.o,$(wildcard worker/*.c)) $B/fake/host.o $B/fake/match.o \
    $B/fake/cuda.o $B/libgpuxml.a
$B/fake/each-call: $B/fake/each-call.o $B/fake/host.o $B/fake/cuda.o $B/libgpuxml.a
$B/fake/gx-page-check: $B/kernels/page_check.o $B/fake/host.o $B/fake/cuda.o $B/libgpuxml.a
$B/fake/gx-match-check: $B/kernels/match_check.o $B/fake/match.o $B/fake/cuda.o $B/libgpuxml.a
$B/fake/gpuxml-worker $B/fake/each-call $B/fake/gx-page-check $B/fake/gx-match-check:
	$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm
# the peers that are here: Debian's libxslt1-dev; libxalan-c-dev; libsaxonhe-java and a JDK
SAXON = $(wildcard /usr/share/java/Saxon-HE.jar)
PEERS = $(if $(shell pkg-config --exists libexslt && echo yes),$B/bench/libxslt) \
    $(if $(wildcard /usr/include/xalanc),$B/bench/xalan) \
    $(if $(SAXON),$(if $(shell command -v javac),$B/bench/Saxon.class))
$B/bench/libxslt: bench/libxslt.c tools/timing.h
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -o $@ $< $(shell pkg-config --cflags --libs libexslt libxslt libxml-2.0)
$B/bench/xalan: bench/xalan.cpp tools/timing.h
	@mkdir -p $(@D)
	$(CXX) -O2 -g -Wall -Wextra -o $@ $< -lxalan-c -lxerces-c
$B/bench/Saxon.class: bench/Saxon.java
	@mkdir -p $(@D)
	javac -cp $(SAXON) -d $(@D) $<
# the parsers' bench: beside libxml2 and pugixml where Debian's libxml2-dev, libpugixml-dev are
LIBXML2 = $(shell pkg-config --exists libxml-2.0 && echo yes)
PUGIXML = $(wildcard /usr/include/pugixml.hpp)
$B/bench/parse.o: override CPPFLAGS += $(if $(LIBXML2),-DWITH_LIBXML2 $(shell pkg-config --cflags libxml-2.0)) \
    $(if $(PUGIXML),-DWITH_PUGIXML)
$B/bench/pugixml.o: bench/pugixml.cpp
	@mkdir -p $(@D)
	$(CXX) -O2 -g -Wall -Wextra -c -o $@ $<
$B/bench/parse: $B/bench/parse.o $(if $(PUGIXML),$B/bench/pugixml.o) $B/libgpuxml.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(if $(LIBXML2),-lxml2) $(if $(PUGIXML),-lpugixml -lstdc++) -lm
$B/bench/EachXPath.class: bench/EachXPath.java
	@mkdir -p $(@D)
	javac -cp $(SAXON) -d $(@D) $<
$B/bench/each_xpath: bench/each_xpath.c
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra -o $@ $< $(shell pkg-config --cflags --libs libxml-2.0)
$B/bench/%: $B/bench/%.o $B/libgpuxml.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm

deps:
	@tools/deps test
deps-all:
	@tools/deps all
# two jobs unless the caller said how many; one prove at the end, so that its summary is the last thing to read
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j2)
# what is checked runs expressions for few rows at a time, looks neighbours of few nodes up without an index, as large
# documents do, and empties the output's buffer often
SMALL_PARTS = -DGX_PARTS_BYTES=512 -DGXP_OWN=8u -DGXP_SHORT=3u -DGX_TEXT_TEST=4 -DGX_SMALL_INDEX=4u \
    -DGX_SLICE_NODES=0u -DGX_JOIN_PAIRS_LIMIT=0u -DGX_LOOKUP_LONG=0u -DGX_CHOICE_ROWS=0u -DGX_CHOICE_FOUND_NODES=0u \
    -DGX_JOIN_PART=2u -DGX_JOIN_WALK=1u -DGX_CLASSIFY_WAVE=1u -DGX_WRITER_SIZE=200u -DGX_SCAN_WINDOW=128u
# (object-size: APR says of apr_pstrmemdup's memory that it ends before the 0; where it is called, + says that it is a
# make: it shares the jobs. -O1 and lines without variables: half of the time that compiling takes with -O2 -g)
SAN_CFLAGS = CFLAGS='-O1 -g1 -Wall -Wextra'
ASAN_MAKE = $(MAKE) $(JOBS) B=build/asan $(SAN_CFLAGS) SAN='-fsanitize=address,undefined -fno-sanitize=object-size \
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer $(SMALL_PARTS)' NVCC=
TSAN_MAKE = $(MAKE) $(JOBS) B=build/tsan $(SAN_CFLAGS) SAN='-fsanitize=thread $(SMALL_PARTS)' NVCC=
# not for ASan: 60-queue-schedules, whose subject is compiled without it
ASAN_TESTS = $(patsubst $B/%,build/asan/%,$(filter-out %60-queue-schedules,$(TESTS)))
# those of more than ten seconds first, so that none of them runs on alone; three at a time, as many wait for clocks
ALL_TESTS = $(sort $(TESTS)) $(sort $(ASAN_TESTS)) $(sort $(wildcard t/*.t))
LONG      = %80-conformance.t build/asan/t/12-scan %63-gpu-host.t %70-http-load.t %60-queue-schedules %09-store.t \
    %34-sweep.t %73-http-worker.t %70-http-config.t %35-bombs.t $B/t/12-scan %75-demo.t %70-http-start.t %74-http-log.t
test:
	@tools/deps test
	$(MAKE) $(JOBS) all tests
	+$(ASAN_MAKE) $(ASAN_TESTS) build/asan/gpuxslt build/asan/fuzz/sweep
	+$(TSAN_MAKE) build/tsan/gpuxslt
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j3 $(foreach t,$(LONG),$(filter $t,$(ALL_TESTS))) $(filter-out $(LONG),$(ALL_TESTS))
check:
	@tools/deps test
	$(MAKE) $(JOBS) NVCC= all tests
	CMOCKA_MESSAGE_OUTPUT=TAP prove -j2 $(filter-out %60-queue-schedules,$(sort $(TESTS))) t/00-build.t t/02-docs.t \
	    t/05-cli.t t/80-conformance.t
# httpd is not built for sanitizers: it preloads them. Not those that preload something themselves
TESTED    = $(filter-out t/79-%,$(sort $(wildcard t/7*-http*.t)))
PRELOAD   = $(foreach l,$1,$(shell $(CC) -print-file-name=lib$l.so))
test-sanitized:
	@tools/deps test
	$(MAKE) $(JOBS) all tests
	+$(ASAN_MAKE) build/asan/mod_gpuxml.so build/asan/gpuxml-worker
	+$(TSAN_MAKE) build/tsan/mod_gpuxml.so build/tsan/gpuxml-worker build/tsan/unseen.so
	GPUXML_MODULE=build/asan/mod_gpuxml.so GPUXML_PRELOAD='$(call PRELOAD,asan ubsan)' \
	    ASAN_OPTIONS=detect_stack_use_after_return=1 \
	    LSAN_OPTIONS=exitcode=0:print_suppressions=0:suppressions=$(CURDIR)/t/httpd/leaks \
	    UBSAN_OPTIONS=print_stacktrace=1 prove $(TESTED)
	GPUXML_MODULE=build/tsan/mod_gpuxml.so GPUXML_PRELOAD='$(call PRELOAD,tsan) $(CURDIR)/build/tsan/unseen.so' \
	    TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=0 prove $(TESTED)
test-differential: $B/gpuxslt
	t/differential.py --count $(or $(COUNT),10000) $(SEED:%=--seed %) $(WRITE:%=--write %)
test-slips: $B/gpuxslt
	t/slips.py --count $(or $(COUNT),3000) $(SEED:%=--seed %) $(SLIPS)
test-store: $B/t/45-store
	POINTS=$(or $(POINTS),10000) $(SEED:%=SEED=%) $B/t/45-store
demo:
	@tools/deps
	@$(MAKE) --no-print-directory all
	@setpriv --pdeathsig TERM tools/demo $(DEMO_ARGS)
bench: all
	@$(MAKE) --no-print-directory all $(PEERS) $B/bench/parse
	bench/run.py $(BENCH_ARGS)

cliffs: $B/gpuxslt
	bench/cliffs.py --check 10,1.4 $(CLIFFS_ARGS)
	bench/cliffs.py --check 10,1.4 $(CLIFFS_ARGS) -- --team exactly:2
# the papers' figures on a CPU: docs/papers/; beside BaseX and libxslt where they are. PAPERS_ARGS: chapters, --scale 1
# for the papers' sizes
papers: all
	@$(MAKE) --no-print-directory $B/bench/automaton $(filter %/libxslt %/Saxon.class,$(PEERS)) \
	    $(if $(LIBXML2),$B/bench/each_xpath) \
	    $(if $(filter %/Saxon.class,$(PEERS)),$B/bench/EachXPath.class)
	bench/papers.py $(PAPERS_ARGS)
papers-gpu: $(GPU) $B/gx-sort-bench
	bench/papers_gpu.py $(PAPERS_ARGS)
bench-http: all
	bench/web.py $(BENCH_ARGS)
carry: all
	@$(MAKE) --no-print-directory all $(filter %/libxslt,$(PEERS))
	@bench/carry.sh

# corpora stay in build/fuzz/corpus between runs; FUZZ=machine chooses targets; findings: build/fuzz/TARGET-crash-...;
# NULL + 0, which clang's pointer-overflow minds, is allowed here (C2x)
FUZZ      = $(filter-out sweep,$(basename $(notdir $(wildcard fuzz/*.c))))
FUZZ_SAN  = -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined $(SMALL_PARTS)
FUZZ_TIME = 60
$B/fuzz/%: $B/fuzz/%.o $B/libgpuxml.a
	$(CC) $(if $(filter sweep,$*),,-fsanitize=fuzzer) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lm
fuzz:
	@command -v clang >/dev/null || { echo "make fuzz needs clang and its libFuzzer: apt-get install clang"; exit 1; }
	$(MAKE) B=build/fuzz CC=clang NVCC= \
	    SAN='-fsanitize=fuzzer-no-link,address,undefined $(FUZZ_SAN)' \
	    $(FUZZ:%=build/fuzz/fuzz/%)
	@fuzz/run $(FUZZ_TIME) $(FUZZ)
# For another machine, which needs libc, libm, libstdc++ and libgcc: without the callbacks of comparisons, for which
# dictionaries make up, the scanner's target is three times as fast. `build/fuzz-carry/run SECONDS [PROCESSES of each]`
fuzz-carry:
	$(MAKE) B=build/fuzz-static CC=clang NVCC= \
	    LDLIBS='-Wl,-Bstatic -lexpat -lpcre2-8 -lz -lapr-1 -luuid -lcrypt -Wl,-Bdynamic' \
	    SAN='-fsanitize=address,undefined -fsanitize-coverage=inline-8bit-counters,pc-table $(FUZZ_SAN)' \
	    $(FUZZ:%=build/fuzz-static/fuzz/%)
	@fuzz/carry $(FUZZ)
sweep:
	+$(ASAN_MAKE) build/asan/fuzz/sweep
	@build/asan/fuzz/sweep $(SWEEP)

# where the conformance data is beside the project, its cases too, and where t/differential.py has left some in
# build/gpu-random, those
test-gpu: $(GPU)
	@tools/gpu-cases >$B/gpu-cases && $B/gx-gpu-check cases $B/gpu-cases
	@bench/gen_profiles.py -n 20000 --values 0.2 --negated 0.1 -o $B/gpu-profiles && \
	    bench/gen_profiles.py --documents 8 -o $B/gpu-doc && \
	    $B/gx-match-check -n 1000 $B/gpu-profiles $B/gpu-doc[0-7].xml
bench-gpu: $(GPU)
	bench/gpu.py $(BENCH_ARGS)
REPORT = $(foreach a,80 90,$(foreach k,$(filter-out gpu match,$(notdir $(basename $(CU)))),$B/report/$k.$a.cubin))
$(REPORT): $(wildcard kernels/* engine/*.h engine/*/*.h)
	@mkdir -p $(@D)
	$(NVCC) $(NVOPT) $(if $(filter $(MACHINES),$(firstword $(subst ., ,$(@F)))),$(BY_FUNCTION)) \
	    -arch=sm_$(subst .,,$(suffix $(basename $(@F)))) -cubin -Xptxas -v -o $@ \
	    kernels/$(firstword $(subst ., ,$(@F))).cu \
	    2>$(basename $@).log || { cat $(basename $@).log; rm -f $@; exit 1; }
kernels-report: $(REPORT)
	@tools/kernels-report --folder $B/report

# whether httpd is laid out as Debian's; the package apache2, whose a2enmod takes gpuxml.load, may be installed later
# than this is
DEBIAN  = $(filter /usr/lib/apache2/modules,$(MODDIR))$(wildcard /etc/apache2/mods-available)
install: all
	install -d $(foreach d,$(MODDIR) $(LIBEXEC) $(PREFIX)/bin,'$(DESTDIR)$d')
	install -m 644 $(SITE) '$(DESTDIR)$(MODDIR)'
	install $B/gpuxslt $B/gpuxml-store $B/gpuxml-match '$(DESTDIR)$(PREFIX)/bin'
	find conf -type f | while read -r f; do to='$(DESTDIR)$(PREFIX)/share/gpuxml'/"$$f"; \
	    install -D -m "$$(case $$f in conf/cgi/*) echo 755;; *) echo 644;; esac)" "$$f" "$$to" && \
	    sed -i 's#/usr/local/share/gpuxml#$(PREFIX)/share/gpuxml#' "$$to" || exit 1; done
	for f in $(wildcard $B/gpuxml-worker); do install $$f '$(DESTDIR)$(LIBEXEC)'; done
	umask 022; d='$(DESTDIR)$(MANDIR)'; install -d "$$d/man1" "$$d/man8" && \
	    tools/manual gpuxslt 1 'transform XML documents with XSLT 1.0' docs/reference/gpuxslt.md $B/gpuxslt \
	    >"$$d/man1/gpuxslt.1" && \
	    tools/manual gpuxml-match 1 'which of many XPath expressions a document matches' docs/reference/gpuxml-match.md \
	    $B/gpuxml-match >"$$d/man1/gpuxml-match.1" && \
	    tools/manual gpuxml-store 1 'XML documents that are parsed once, in one file' docs/reference/store.md \
	    $B/gpuxml-store >"$$d/man1/gpuxml-store.1" && \
	    tools/manual mod_gpuxml 8 'XSLT 1.0 and XPath 1.0 for Apache httpd' docs/reference/directives.md \
	    >"$$d/man8/mod_gpuxml.8" && \
	    tools/manual gpuxml-worker 8 'evaluate the requests of mod_gpuxml' docs/reference/worker.md \
	    >"$$d/man8/gpuxml-worker.8"
	$(if $(DEBIAN),umask 022; d='$(DESTDIR)/etc/apache2/mods-available'; install -d "$$d" && \
	    echo 'LoadModule gpuxml_module $(MODDIR)/mod_gpuxml.so' >"$$d/gpuxml.load")
	@DESTDIR='$(DESTDIR)' tools/installed '$(MODDIR)' '$(if $(DEBIAN),debian)' '$(if $(CU),gpu)'
uninstall:
	rm -f $(foreach f,$(MODDIR)/mod_gpuxml.so $(PREFIX)/bin/gpuxslt $(PREFIX)/bin/gpuxml-store $(PREFIX)/bin/gpuxml-match \
	    $(LIBEXEC)/gpuxml-worker \
	    $(MANDIR)/man1/gpuxslt.1 $(MANDIR)/man1/gpuxml-match.1 $(MANDIR)/man1/gpuxml-store.1 $(MANDIR)/man8/mod_gpuxml.8 \
	    $(MANDIR)/man8/gpuxml-worker.8 \
	    /etc/apache2/mods-available/gpuxml.load /etc/apache2/mods-enabled/gpuxml.load,'$(DESTDIR)$f')
	rm -rf '$(DESTDIR)$(PREFIX)/share/gpuxml/conf'
	rmdir '$(DESTDIR)$(PREFIX)/share/gpuxml' '$(DESTDIR)$(LIBEXEC)' 2>/dev/null || :
deb:
	@command -v dpkg-checkbuilddeps >/dev/null || { \
	    echo "make deb needs build-essential and debhelper: apt-get install them"; exit 1; }
	dpkg-checkbuilddeps
	DEB_RULES_REQUIRES_ROOT=no DEB_BUILD_OPTIONS="parallel=$$(nproc) $$DEB_BUILD_OPTIONS" debian/rules binary \
	    DESTINATION=$B NVCC='$(NVCC)'; \
	    ended=$$?; debian/rules clean && exit $$ended
	@ls $B/*.deb
# the sources as they are committed, and Fedora's packages of them (by Debian's package rpm as well)
VERSION = $(shell sed -n 's/^Version: *//p' gpuxml.spec)
dist:
	@mkdir -p $B && git archive --format=tar.gz --prefix=gpuxml-$(VERSION)/ -o $B/gpuxml-$(VERSION).tar.gz HEAD && \
	    ls $B/gpuxml-$(VERSION).tar.gz
rpm: dist
	@command -v rpmbuild >/dev/null || { echo "make rpm needs rpmbuild: Debian's package rpm, Fedora's rpm-build"; \
	    exit 1; }
	rpmbuild -tb --define '_topdir $(CURDIR)/$B/rpm' $B/gpuxml-$(VERSION).tar.gz
clean:
	rm -rf $B
help:
	@sed -n '2,/^B /s/^# //p' Makefile
FORCE:
.PHONY: cliffs test-gpu bench-gpu bench-http papers papers-gpu carry kernels-report all tests deps deps-all test check \
    test-sanitized test-differential demo bench fuzz fuzz-carry sweep install uninstall deb clean help dist rpm \
    test-slips test-store FORCE
.SECONDARY:
-include $(wildcard $B/*.d $B/*/*.d $B/*/*/*.d)
