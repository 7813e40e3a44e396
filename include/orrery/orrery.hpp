/* Orrery for C++17: handles that free themselves, errors as exceptions, texts as strings. Header only; all that the C headers
 * declare can be used beside it, with get().
 *
 *     orr::platform platform(orr::text, "network: {topology: Ring(8), bandwidth: 100 GB/s}");
 *     orr::workload workload(orr::text, "workload: {generate: all_reduce, bytes: 800 MB}");
 *     orr::job job(platform, workload, {"system.chunks=1"});
 *     job.run();
 *     std::cout << job.wall_ps() << ' ' << job.integer("npus.idle_ps", 3) << '\n';
 *
 * Names are in the namespace `orr`, as `orrery` is a struct of C. Objects can be moved. As in C, one thread at a time may use an
 * object; platforms and workloads that a job has loaded may be shared. */
#ifndef ORRERY_ORRERY_HPP
#define ORRERY_ORRERY_HPP

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "orrery/extend.h"
#include "orrery/load.h"
#include "orrery/orrery.h"
#include "orrery/page.h"
#include "orrery/parts.h"
#include "orrery/report.h"
#include "orrery/results.h"
#include "orrery/study.h"
#include "orrery/topology.h"

namespace orr {

/* A failed call: what() is the message, "LOCATION: MESSAGE". */
class error : public std::runtime_error {
public:
    error(orrery_status status, const char *text) : std::runtime_error(text), status_(status) {}
    orrery_status status() const noexcept { return status_; }

private:
    orrery_status status_;
};

/* A struct with its size, all else absent: auto whatif = orr::sized<struct orrery_whatif>(); */
template <class Struct> Struct sized()
{
    static_assert(std::is_same_v<decltype(Struct::size), std::size_t>, "a struct that begins with its size");
    Struct made{};
    made.size = sizeof made;
    return made;
}

/* That a string is the text of an input, not its path. */
struct text_tag {};
inline constexpr text_tag text{};

namespace detail {

template <class Handle, void (*Free)(Handle *)> struct deleter {
    void operator()(Handle *handle) const noexcept { Free(handle); }
};

template <class Handle, void (*Free)(Handle *)> using owned = std::unique_ptr<Handle, deleter<Handle, Free>>;

template <class Handle> Handle *made(Handle *handle)
{
    if (handle == nullptr) {
        throw std::bad_alloc();
    }
    return handle;
}

inline void check(orrery_status status, const char *message)
{
    if (status == ORRERY_ERROR_MEMORY) {
        throw std::bad_alloc();
    }
    if (status != ORRERY_OK) {
        throw error(status, message);
    }
}

/* What a function writes to a stream. */
template <class Write> std::string written(Write write)
{
    char *data = nullptr;
    std::size_t bytes = 0;
    std::FILE *out = made(open_memstream(&data, &bytes));
    const orrery_status status = write(out);
    const bool closed = std::fclose(out) == 0;
    std::unique_ptr<char, decltype(&std::free)> owner(data, std::free);
    return status == ORRERY_OK && closed ? std::string(data, bytes) : std::string();
}

inline std::vector<const char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<const char *> found;
    for (const std::string &one : texts) {
        found.push_back(one.c_str());
    }
    return found;
}

} // namespace detail

/* A platform; the first job that loads it makes it constant. */
class platform {
public:
    platform() : handle_(detail::made(orrery_platform_new())) {}
    explicit platform(const std::string &path, const char *library = nullptr) : platform()
    {
        check(orrery_platform_read(get(), path.c_str(), library));
    }
    platform(text_tag, const std::string &sections) : platform() { check(orrery_platform_parse(get(), sections.c_str())); }
    /* "network.dims[1].bandwidth=100 GB/s", over what was read */
    platform &set(const std::string &assignment)
    {
        check(orrery_platform_set(get(), assignment.c_str()));
        return *this;
    }
    orrery_platform *get() const noexcept { return handle_.get(); }

private:
    void check(orrery_status status) const { detail::check(status, orrery_platform_error(get())); }
    detail::owned<orrery_platform, orrery_platform_free> handle_;
};

/* A workload, likewise; or node by node. */
class workload {
public:
    workload() : handle_(detail::made(orrery_workload_new())) {}
    explicit workload(const std::string &path, const char *library = nullptr) : workload()
    {
        check(orrery_workload_read(get(), path.c_str(), library));
    }
    workload(text_tag, const std::string &sections) : workload() { check(orrery_workload_parse(get(), sections.c_str())); }
    workload &set(const std::string &assignment)
    {
        check(orrery_workload_set(get(), assignment.c_str()));
        return *this;
    }
    workload &add(std::uint32_t trace, const orrery_trace_node &node)
    {
        check(orrery_workload_add(get(), trace, &node));
        return *this;
    }
    orrery_workload *get() const noexcept { return handle_.get(); }

private:
    void check(orrery_status status) const { detail::check(status, orrery_workload_error(get())); }
    detail::owned<orrery_workload, orrery_workload_free> handle_;
};

/* Results by name of what has orrery_KIND_result: `integer("npus.idle_ps", 3)`. */
template <class Self> class results {
public:
    std::size_t rows(const char *table)
    {
        std::size_t count = 0;
        self().check(self().rows_of(table, &count));
        return count;
    }
    orrery_value value(const char *name, std::size_t row = 0)
    {
        orrery_value found{};
        self().check(self().value_of(name, row, &found));
        return found;
    }
    long long integer(const char *name, std::size_t row = 0) { return static_cast<long long>(value(name, row).integer); }
    double real(const char *name, std::size_t row = 0) { return value(name, row).real; }
    std::string words(const char *name, std::size_t row = 0)
    {
        const orrery_value found = value(name, row);
        return found.text != nullptr ? found.text : "";
    }

private:
    Self &self() { return static_cast<Self &>(*this); }
};

/* A simulation. */
class job : public results<job> {
public:
    /* An empty one, for the functions of C that load; `record`: ORRERY_RECORD_NODES | ... */
    explicit job(unsigned record = 0) : handle_(detail::made(orrery_new())) { orrery_record(get(), record); }
    job(const platform &on, const workload &what, const std::vector<std::string> &settings = {}, unsigned record = 0) : job(record)
    {
        load(on.get(), what.get(), settings);
    }
    /* The workload is a section of the platform. */
    explicit job(const platform &on, const std::vector<std::string> &settings = {}, unsigned record = 0) : job(record)
    {
        load(on.get(), nullptr, settings);
    }

    job &run()
    {
        check(orrery_run(get()));
        return *this;
    }
    /* Runs, and asks from time to time whether to go on; false: it was stopped, and goes on with the next call. An exception of
     * `go_on` stops it as well. */
    bool run(const std::function<bool(const struct orrery_progress &)> &go_on, std::uint64_t instants = 10000)
    {
        bool finished = false;
        struct orrery_progress progress{};
        while (!finished) {
            check(orrery_run_some(get(), instants, &finished));
            ::orrery_progress(get(), &progress);
            if (!finished && !go_on(progress)) {
                return false;
            }
        }
        return true;
    }

    std::int64_t wall_ps() const { return orrery_wall_ps(get()); }
    std::uint32_t npus() const { return orrery_npus(get()); }
    orrery_times times(std::uint32_t rank)
    {
        orrery_times found{};
        check(orrery_npu_times(get(), rank, &found));
        return found;
    }
    std::vector<std::string> warnings() const
    {
        std::vector<std::string> found;
        while (const char *one = orrery_warning(get(), found.size())) {
            found.emplace_back(one);
        }
        return found;
    }
    std::string json(bool per_npu = false)
    {
        return write([&](std::FILE *out) { return orrery_write_json(get(), out, per_npu); });
    }
    std::string table(bool per_npu = false)
    {
        return write([&](std::FILE *out) { return orrery_write_table(get(), out, per_npu); });
    }
    struct orrery *get() const noexcept { return handle_.get(); }

    void check(orrery_status status) const { detail::check(status, orrery_error(get())); }
    orrery_status rows_of(const char *table, std::size_t *count) { return orrery_result_rows(get(), table, count); }
    orrery_status value_of(const char *name, std::size_t row, orrery_value *out) { return orrery_result(get(), name, row, out); }

private:
    void load(orrery_platform *on, orrery_workload *what, const std::vector<std::string> &settings)
    {
        const std::vector<const char *> set = detail::pointers(settings);
        auto parts = sized<struct orrery_parts>();
        parts.platform = on, parts.workload = what, parts.set = set.data(), parts.set_count = set.size();
        check(orrery_load_parts(get(), &parts));
    }
    template <class Write> std::string write(Write function)
    {
        orrery_status status = ORRERY_OK;
        std::string told = detail::written([&](std::FILE *out) { return status = function(out); });
        check(status);
        return told;
    }
    detail::owned<struct orrery, orrery_free> handle_;
};

/* A study: run(orrery_whatif, given), run(orrery_sweep, given), ... */
class study : public results<study> {
public:
    study() : handle_(detail::made(orrery_study_new())) {}
    template <class Given> study &run(orrery_status (*function)(orrery_study *, const Given *), const Given &given)
    {
        check(function(get(), &given));
        return *this;
    }
    std::string form(orrery_form form)
    {
        orrery_status status = ORRERY_OK;
        std::string told = detail::written([&](std::FILE *out) { return status = orrery_study_write(get(), out, form); });
        check(status);
        return told;
    }
    std::string json() { return form(ORRERY_FORM_JSON); }
    std::string csv() { return form(ORRERY_FORM_CSV); }
    std::string table() { return form(ORRERY_FORM_TABLE); }
    orrery_study *get() const noexcept { return handle_.get(); }

    void check(orrery_status status) const { detail::check(status, orrery_study_error(get())); }
    orrery_status rows_of(const char *table, std::size_t *count) { return orrery_study_rows(get(), table, count); }
    orrery_status value_of(const char *name, std::size_t row, orrery_value *out) { return orrery_study_result(get(), name, row, out); }

private:
    detail::owned<orrery_study, orrery_study_free> handle_;
};

/* A network without a simulation. */
class topology {
public:
    explicit topology(const orrery_topology_input &input) : handle_(detail::made(orrery_topology_new()))
    {
        check(orrery_topology_read(get(), &input));
    }
    struct orrery_topology_figures figures()
    {
        auto found = sized<struct orrery_topology_figures>();
        check(::orrery_topology_figures(get(), &found));
        return found;
    }
    void draw(const std::string &path) { check(orrery_topology_draw(get(), path.c_str())); }
    orrery_topology *get() const noexcept { return handle_.get(); }

private:
    void check(orrery_status status) const { detail::check(status, orrery_topology_error(get())); }
    detail::owned<orrery_topology, orrery_topology_free> handle_;
};

/* Adds parts of the program's own, or of a shared object (orrery/extend.h). */
inline void extend(const orrery_extension &extension)
{
    char message[4096] = "";
    detail::check(orrery_extend(&extension, message, sizeof message), message);
}
inline void load_plugin(const std::string &file)
{
    char message[4096] = "";
    detail::check(orrery_load_plugin(file.c_str(), message, sizeof message), message);
}

} // namespace orr

#endif
